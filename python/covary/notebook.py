"""HTML of models for notebooks: small tables without scripts or colors."""

from html import escape


def table(head, rows) -> str:
    """Rows of text, escaped."""

    def line(cells, tag):
        return "<tr>" + "".join(f"<{tag}>{escape(str(c))}</{tag}>" for c in cells) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<table><thead>{line(head, 'th')}</thead><tbody>{body}</tbody></table>"


def listed(notes) -> str:
    """Notes, escaped; nothing if there are none."""
    return "<ul>" + "".join(f"<li>{escape(n)}</li>" for n in notes) + "</ul>" if notes else ""


def number(value) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _remark(parameter):
    remarks = {"fixed": "fixed", "at_bound": "at its bound", "flat": "hardly matters"}
    return ", ".join(text for key, text in remarks.items() if parameter[key])


def model_html(model) -> str:
    """What was learned: parameters, evidence, notes."""
    if not model.fitted:
        return f"<code>{escape(repr(model))}</code>, not fitted"
    learned = model._learned()
    rows = [(p["name"], number(p["value"]), _remark(p)) for p in model.parameters]
    facts = [f"{model.target} from {', '.join(model.features)}; {len(learned.y)} rows"]
    facts += [f"{name}: {words}" for name, words in learned.types.items()]
    facts += [f"log marginal likelihood {model.log_marginal_likelihood:.6g}"]
    parts = table(("parameter", "value", ""), rows) if rows else ""
    title = f"<code>{escape(repr(model))}</code>"
    return f"<div>{title}<br>{escape('; '.join(facts))}{parts}{listed(model.notes)}</div>"

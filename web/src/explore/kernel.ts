// The kernel as menus with + and x, beside the expression: a flat sum of products is shown in menus, anything else as text.
import { button, choice, el } from "../dom";

export interface Term {
  op: "+" | "*";
  name: string;
  arguments: string; // "lengthscale=1", as typed
  scale: string; // "1.6" in front, or ""
}

/** undefined for an expression that menus cannot show. */
export function terms(expression: string): Term[] | undefined {
  const out: Term[] = [];
  const pattern = /^\s*([+*])?\s*(?:([0-9.eE-]+)\s*\*\s*)?([a-z_][a-z0-9_]*)\(([^()]*)\)/;
  let rest = expression;
  while (rest.trim()) {
    const m = pattern.exec(rest);
    if (!m || (out.length > 0) !== (m[1] !== undefined) || (m[1] === "*" && m[2])) return undefined;
    out.push({ op: (m[1] as "+" | "*") ?? "+", scale: m[2] ?? "", name: m[3], arguments: m[4] });
    rest = rest.slice(m[0].length);
  }
  return out.length ? out : undefined;
}
export function expression(all: Term[]): string {
  return all
    .map((t, i) => (i === 0 ? "" : ` ${t.op} `) + (t.scale ? `${t.scale} * ` : "") + `${t.name}(${t.arguments})`)
    .join("");
}

/** Menus for the kernel; `changed` is given the new expression, whose missing parameters are still to be filled in. */
export function menus(text: string, names: string[], changed: (expression: string) => void): HTMLElement {
  const all = terms(text);
  const root = el("div", { class: "terms", role: "group", "aria-label": "Kernel, term by term" });
  if (!all) {
    root.append(el("p", { class: "hint" }, "This expression is more than menus can show: change it as text."));
    return root;
  }
  all.forEach((t, i) => {
    const row = el("div", { class: "term" });
    if (i > 0) {
      const op = choice([["+", "+"], ["*", "×"]], t.op, (v) => {
        t.op = v as "+" | "*";
        if (t.op === "*") t.scale = "";
        changed(expression(all));
      });
      op.setAttribute("aria-label", `Operator before term ${i + 1}`);
      row.append(op);
    }
    const known = names.includes(t.name) ? names : [t.name, ...names];
    const name = choice(known, t.name, (v) => {
      t.name = v;
      t.arguments = "";
      changed(expression(all));
    });
    name.setAttribute("aria-label", `Kernel of term ${i + 1}`);
    row.append(name);
    if (all.length > 1) {
      const remove = button("×", () => {
        all.splice(i, 1);
        all[0].op = "+";
        changed(expression(all));
      }, "small");
      remove.setAttribute("aria-label", `Remove term ${i + 1}, ${t.name}`);
      row.append(remove);
    }
    root.append(row);
  });
  const add = (op: "+" | "*", name: string) => () => {
    all.push({ op, name, arguments: "", scale: "" });
    changed(expression(all));
  };
  root.append(el("div", { class: "row" }, button("+ term", add("+", "linear"), "small"), button("× term", add("*", "periodic"), "small")));
  return root;
}

// Elements with attributes and children, in one call.
type Child = Node | string;
type Attributes = Record<string, string | number | boolean | undefined | ((event: never) => void)>;

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

export function el<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  return fill(document.createElement(name), attributes, children);
}
export function svg<K extends keyof SVGElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

let counted = 0;
/** A label and its field. */
export function field(text: string, input: HTMLElement, hint = ""): HTMLDivElement {
  input.id ||= `field-${++counted}`;
  const label = el("label", { for: input.id }, text);
  return el("div", { class: "field" }, label, input, ...(hint ? [el("small", {}, hint)] : []));
}
export function choice(options: (string | [string, string])[], value: string, changed: (value: string) => void): HTMLSelectElement {
  const select = el("select", { change: () => changed(select.value) });
  for (const o of options) {
    const [v, text] = typeof o === "string" ? [o, o] : o;
    select.append(el("option", { value: v, selected: v === value }, text));
  }
  return select;
}
export function button(text: string, pressed: () => void, kind = ""): HTMLButtonElement {
  return el("button", { type: "button", class: kind, click: pressed }, text);
}
export function check(text: string, value: boolean, changed: (value: boolean) => void): HTMLLabelElement {
  const box = el("input", { type: "checkbox", checked: value, change: () => changed(box.checked) });
  return el("label", { class: "check" }, box, text);
}

const polite = () => document.getElementById("said")!;
/** Said to screen readers. */
export function say(text: string): void {
  polite().textContent = text;
}
export function showError(where: HTMLElement, why: unknown): void {
  where.replaceChildren(el("p", { class: "error", role: "alert" }, why instanceof Error ? why.message : String(why)));
}

export function download(name: string, data: string | Uint8Array, type = "text/plain"): void {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const url = URL.createObjectURL(new Blob([bytes as BlobPart], { type }));
  const a = el("a", { href: url, download: name });
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export function short(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "-";
  const text = Number(value.toPrecision(digits));
  return Math.abs(text) >= 1e6 || (text !== 0 && Math.abs(text) < 1e-4) ? text.toExponential() : String(text);
}

// Pictures as files.
import { download } from "../dom";

export function saveSvg(name: string, text: string): void {
  download(`${name}.svg`, text, "image/svg+xml");
}

export async function savePng(name: string, text: string): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml;base64,${btoa(unescape(encodeURIComponent(text)))}`;
  await image.decode();
  const scale = 2;
  const canvas = document.createElement("canvas");
  canvas.width = scale * image.width;
  canvas.height = scale * image.height;
  const g = canvas.getContext("2d")!;
  g.fillStyle = "#fff";
  g.fillRect(0, 0, canvas.width, canvas.height);
  g.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (blob) download(`${name}.png`, new Uint8Array(await blob.arrayBuffer()), "image/png");
}

/** The curve with its colors written out, so that the file needs no style sheet. */
export function standalone(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const from = [svg, ...svg.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of ["fill", "fill-opacity", "stroke", "stroke-width", "opacity", "font-size", "font-family"])
      (to[i] as SVGElement).style.setProperty(name, style.getPropertyValue(name));
    for (const name of ["tabindex", "role", "class"]) to[i].removeAttribute(name);
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

// Files that one takes along: a drawing of this page as SVG or PNG, and whatever the engine makes.

/** What a drawing needs of its style sheet when it stands alone. */
const INHERITED = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "font-weight", "text-anchor", "paint-order",
];
const OWN = ["opacity", "transform"];

/** A drawing with its style in it. In light colours unless asked otherwise: it goes on paper, mostly. */
export function standalone(svg: SVGSVGElement, dark: boolean): string {
  const root = document.documentElement;
  const before = root.dataset.theme;
  // Nothing is painted between here and the end of this function, so nobody sees the change.
  root.dataset.theme = dark ? "dark" : "light";
  const still = document.createElement("style");
  still.textContent = "* { transition: none !important; }";
  document.head.append(still);
  try {
    const copy = svg.cloneNode(true) as SVGSVGElement;
    const [from, to] = [[svg, ...svg.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
    from.forEach((element, place) => {
      const target = to[place];
      if (!(element instanceof SVGElement) || !(target instanceof SVGElement) || element.tagName === "title") return;
      const style = getComputedStyle(element);
      const above = element !== svg && element.parentElement ? getComputedStyle(element.parentElement) : null;
      target.removeAttribute("style");
      for (const name of INHERITED) {
        const value = style.getPropertyValue(name);
        if (value !== above?.getPropertyValue(name)) target.style.setProperty(name, value);
        // The style says it now, and the attribute may name a colour of the page.
        target.removeAttribute(name);
      }
      for (const name of OWN) {
        const value = style.getPropertyValue(name);
        if (value !== "none" && value !== "1") target.style.setProperty(name, value);
      }
      for (const name of ["class", "tabindex", "role", "aria-pressed", "data-step"]) target.removeAttribute(name);
    });
    const box = svg.viewBox.baseVal;
    copy.setAttribute("width", String(box.width));
    copy.setAttribute("height", String(box.height));
    copy.setAttribute("role", "img");
    copy.style.removeProperty("transform");
    const comments = document.createTreeWalker(copy, NodeFilter.SHOW_COMMENT);
    const found: ChildNode[] = [];
    while (comments.nextNode()) found.push(comments.currentNode as ChildNode);
    for (const comment of found) comment.remove();
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of Object.entries({ width: "100%", height: "100%" })) paper.setAttribute(name, value);
    paper.style.fill = getComputedStyle(root).getPropertyValue("--paper").trim();
    copy.prepend(paper);
    return new XMLSerializer().serializeToString(copy);
  } finally {
    still.remove();
    if (before === undefined) delete root.dataset.theme;
    else root.dataset.theme = before;
  }
}

/** A drawing in points, `scale` times as large. */
export async function png(svg: string, scale: number): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * scale;
  canvas.height = image.height * scale;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser does not draw to a canvas; the SVG has the same picture.");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture is too large for a PNG; the SVG has it."))), "image/png"),
  );
}

/** Hands a file to whoever sits in front of the page. */
export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // Some browsers read it only after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// What every canvas needs: its size on the screen, and the colours of the page.

/** Sets a canvas to the pixels that it covers; its context, in the units of the page. */
export function prepare(canvas: HTMLCanvasElement): { context: CanvasRenderingContext2D; width: number; height: number } | null {
  const context = canvas.getContext("2d");
  const { width, height } = canvas.getBoundingClientRect();
  if (!context || width === 0) return null;
  const scale = Math.min(2, window.devicePixelRatio || 1);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

/** A colour of the page, by the name of its variable. */
export function colour(name: string): string {
  const fallback: Record<string, string> = { "--done": "--line", "--asleep": "--panel" };
  const style = getComputedStyle(document.documentElement);
  return style.getPropertyValue(name).trim() || style.getPropertyValue(fallback[name] ?? "--relay").trim() || "#888";
}

/** Red, green, blue of a colour of the page. */
export function rgb(name: string): [number, number, number] {
  // `#fff` is short for `#ffffff`.
  const long = colour(name).replace(/^#([0-9a-f])([0-9a-f])([0-9a-f])$/i, "#$1$1$2$2$3$3");
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(long);
  return hex ? [parseInt(hex[1] ?? "0", 16), parseInt(hex[2] ?? "0", 16), parseInt(hex[3] ?? "0", 16)] : [128, 128, 128];
}

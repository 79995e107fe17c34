// Times and counts in words.

/** A time of day, to the second. */
export function clock(at_ms: number): string {
  const at = new Date(at_ms);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

/** A span: 740 ms, 2.9 s, 95 s. */
export function span(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 10_000 ? `${(Math.floor(ms / 100) / 10).toFixed(1)} s` : `${Math.floor(ms / 1000)} s`;
}

/** A round trip: 240 µs, 1.3 ms. */
export function trip(us: number): string {
  return us < 1000 ? `${Math.round(us)} µs` : us < 10_000 ? `${(us / 1000).toFixed(1)} ms` : `${Math.round(us / 1000)} ms`;
}

export function count(many: number, one: string, more = `${one}s`): string {
  return `${many.toLocaleString("en")} ${many === 1 ? one : more}`;
}

/** How long a certificate is good for. */
export function certificate(days: number): string {
  return days < 0 ? "expired" : days < 1 ? "expires today" : `expires in ${count(Math.floor(days), "day")}`;
}

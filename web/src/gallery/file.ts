// A file that is too large is refused here, before it is read and sent.

/** Why this file is not sent; null if it may be. Text grows a little when it is put into a question. */
export function tooLarge(name: string, size: number, limit: number): string | null {
  if (size * 1.1 <= limit) return null;
  const mega = (bytes: number) => (bytes / 1024 ** 2).toFixed(1);
  return `“${name}” has ${mega(size)} MiB; the engine takes ${mega(limit / 1.1)} MiB at most. Record a shorter run, or replay it in a terminal with \`ringleader replay\`.`;
}

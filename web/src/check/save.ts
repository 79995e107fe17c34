// Files that the page hands out.

import type { Exported } from "../engine";

/** Lets the browser save a text, or bytes, as a file. */
export function save(file: Exported | { name: string; blob: Blob }): void {
  const { name } = file;
  const url = URL.createObjectURL("blob" in file ? file.blob : new Blob([file.text], { type: file.type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads it after this function is over.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A field of a table of comma-separated values. */
function field(value: string | number | null): string {
  const text = value === null ? "" : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csv(columns: string[], rows: (string | number | null)[][]): string {
  return [columns, ...rows].map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";
}

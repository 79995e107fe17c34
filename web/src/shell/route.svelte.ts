// The address of the page: `#/lab?a=peterson&nodes=8&at=12`. Everything that is to be seen again is in it.

export interface Route {
  /** gallery, lab, break, check, compare, cluster, or whatever somebody typed. */
  screen: string;
  query: URLSearchParams;
}

export function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return { screen: path === "" ? "gallery" : path, query: new URLSearchParams(query) };
}

/** Commas, colons, semicolons and the like are legible in an address; only what must be is encoded. */
export function format(screen: string, query: URLSearchParams): string {
  const words = query.toString().replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%3B/g, ";").replace(/%40/g, "@");
  return `#/${screen === "gallery" ? "" : screen}${words ? `?${words}` : ""}`;
}

let current = $state(parse(location.hash));
window.addEventListener("hashchange", (event) => {
  // Where somebody wanted to go; by now the address may have been noted anew from where the page was.
  current = parse(new URL(event.newURL).hash);
});

export const route = {
  get screen(): string {
    return current.screen;
  },
  get query(): URLSearchParams {
    return current.query;
  },
};

/** Goes there; the way back stays. */
export function go(screen: string, query = new URLSearchParams()): void {
  const hash = format(screen, query);
  // To be sent where one is already is no change for the browser, but may be one for the screen.
  if (location.hash === hash) current = parse(hash);
  else location.hash = hash;
}

/** In a page that is the text of a frame (in a notebook, say) an address is not that of the page around it. */
const here = (hash: string): string => (location.href.startsWith("about:") ? new URL(hash, location.href).href : hash);

/** Says in the address where the page is now, without a new place in the history and without a `hashchange`. */
export function note(screen: string, query: URLSearchParams): void {
  history.replaceState(null, "", here(format(screen, query)));
}

/** The same as a new place in the history: the way back stays. */
export function enter(screen: string, query: URLSearchParams): void {
  history.pushState(null, "", here(format(screen, query)));
}

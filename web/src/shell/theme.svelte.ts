// Light or dark: as the system has it, until somebody says otherwise. The choice is remembered here, and only here.

export type Theme = "system" | "light" | "dark";

const KEY = "ringleader.theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system";
  }
}

let chosen = $state<Theme>(stored());
let dark = $state(system.matches);

export const theme = {
  get chosen(): Theme {
    return chosen;
  },
  /** What is seen: whoever paints by hand paints anew when it changes. */
  get shown(): "light" | "dark" {
    return chosen === "system" ? (dark ? "dark" : "light") : chosen;
  },
  choose(value: Theme): void {
    chosen = value;
    apply();
    try {
      localStorage.setItem(KEY, value);
    } catch {
      // A page that may not remember still changes its colours.
    }
  },
};

function apply(): void {
  document.documentElement.dataset.theme = theme.shown;
}
system.addEventListener("change", (event) => {
  dark = event.matches;
  apply();
});
apply();

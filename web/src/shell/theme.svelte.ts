// Light or dark: as the system has it, until somebody says otherwise. The choice is remembered here, and only here.

export type Theme = "system" | "light" | "dark";

const KEY = "ringleader.theme";

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system";
  }
}

let chosen = $state<Theme>(stored());

export const theme = {
  get chosen(): Theme {
    return chosen;
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
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}
apply();

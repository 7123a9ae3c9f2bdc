// Light or dark: as the system has it, until somebody turns it; remembered as long as the tab is open.

function turnTheme() {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark"
    || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  remember("theme", document.documentElement.dataset.theme);
}

// A file from the disk may have no storage.
function remember(key, value) {
  try {
    sessionStorage.setItem(`devicefix.${key}`, value);
  } catch { /* then it is forgotten */ }
}

function remembered(key) {
  try {
    return sessionStorage.getItem(`devicefix.${key}`);
  } catch {
    return null;
  }
}

const theme = remembered("theme");
if (theme) document.documentElement.dataset.theme = theme;

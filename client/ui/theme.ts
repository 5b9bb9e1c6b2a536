/** Light, dark or the system's choice. `index.html` applies the stored theme before the first paint; this module changes it later. */
import { createSignal } from 'solid-js'
import { readLocalStorage, writeLocalStorage } from './local-storage.ts'

/** The themes that can be chosen. */
export const themes = ['system', 'light', 'dark'] as const
/** A theme. */
export type Theme = (typeof themes)[number]

const stored = readLocalStorage('theme')
const [theme, setSignal] = createSignal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system')

export { theme }

/** Applies a theme and remembers it for this browser. */
export function setTheme(chosen: Theme): void {
  setSignal(chosen)
  writeLocalStorage('theme', chosen === 'system' ? null : chosen)
  if (chosen === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
}

/** Light, dark or the system's choice. `index.html` sets the attribute before the first paint; this changes it later. */
import { createSignal } from 'solid-js'
import { readLocalStorage, writeLocalStorage } from './local-storage.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const stored = readLocalStorage('theme')
const [theme, setSignal] = createSignal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system')

export { theme }

export function setTheme(chosen: Theme): void {
  setSignal(chosen)
  writeLocalStorage('theme', chosen === 'system' ? null : chosen)
  if (chosen === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
}

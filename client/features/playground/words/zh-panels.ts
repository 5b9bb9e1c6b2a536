import type { enPanels } from './en-panels.ts'
export const zhPanels = {} as Record<keyof typeof enPanels, string>

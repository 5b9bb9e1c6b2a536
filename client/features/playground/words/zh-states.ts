import type { enStates } from './en-states.ts'
export const zhStates = {} as Record<keyof typeof enStates, string>

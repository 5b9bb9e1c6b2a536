import type { en } from './en.ts'
export const zh = {} as Record<keyof typeof en, string>

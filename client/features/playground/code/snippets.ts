/**
 * The next request as a program: curl, Python and TypeScript, in every dialect, for the public door. Only what is switched
 * on is in it; the key is always the environment's `API_KEY`, never a real one.
 */
import type { Call } from './call.ts'
import { curl } from './curl.ts'
import { python } from './python.ts'
import { typescript } from './typescript.ts'

export const languages = ['curl', 'python', 'typescript'] as const
export type SnippetLanguage = (typeof languages)[number]

const writers: Record<SnippetLanguage, (call: Call) => string> = { curl, python, typescript }

export const snippet = (language: SnippetLanguage, call: Call): string => writers[language](call)

/**
 * The next request as a program: curl, Python and TypeScript, in every dialect. Contains only what is switched on; the key is
 * always the environment's `API_KEY`, never a real one.
 */
import type { Call } from './call.ts'
import { curl } from './curl.ts'
import { python } from './python.ts'
import { typescript } from './typescript.ts'

/** Languages of snippets. */
export const languages = ['curl', 'python', 'typescript'] as const
/** A language of snippets. */
export type SnippetLanguage = (typeof languages)[number]

const writers: Record<SnippetLanguage, (call: Call) => string> = { curl, python, typescript }

/** The call as a program in `language`. */
export const snippet = (language: SnippetLanguage, call: Call): string => writers[language](call)

/** A tool that takes free text, for an upstream that knows only functions: one string property, unwrapped on the way back. */
import type { JsonSchema } from './conversation.ts'

/** The parameters of the function that stands in for a custom tool. */
export const wrappedParameters: JsonSchema = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
}

/** Free text as the arguments of that function. */
export const wrapInput = (text: string): string => JSON.stringify({ input: text })

/** The free text in such arguments; what a model wrote otherwise stays as it is. */
export function unwrapInput(argsText: string): string {
  try {
    const parsed: unknown = JSON.parse(argsText)
    if (typeof parsed === 'object' && parsed !== null && 'input' in parsed && typeof parsed.input === 'string') return parsed.input
  } catch {
    // Not the JSON that was asked for.
  }
  return argsText
}

/** A tool that takes free text, for an upstream that only supports functions: one string property, unwrapped on the way back. */
import type { JsonSchema } from '#canonical/conversation'

/** The parameters of the function that replaces a custom tool. */
export const wrappedParameters: JsonSchema = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
}

/** Free text as the arguments of that function. */
export const wrapInput = (text: string): string => JSON.stringify({ input: text })

/** The free text in such arguments; anything else a model wrote stays unchanged. */
export function unwrapInput(argsText: string): string {
  try {
    const parsed: unknown = JSON.parse(argsText)
    if (typeof parsed === 'object' && parsed !== null && 'input' in parsed && typeof parsed.input === 'string') return parsed.input
  } catch {
    // Not the requested JSON.
  }
  return argsText
}

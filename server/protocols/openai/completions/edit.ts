/** The closed list of edits in a Completions request, spliced into its raw text. */
import type { RequestEdits } from '#canonical/codec'
import { GatewayError } from '#shared/errors'
import { editFields } from '../edit.ts'

/**
 * `raw` is a body that readHead accepted. The channel's system prompt stands before every prompt, a blank line between; throws
 * GatewayError `unsupported_value` where the prompt is no text.
 */
export function editRequest(raw: string, edits: RequestEdits): string {
  return editFields(raw, edits, { field: 'prompt', put: withPrefix })
}

function withPrefix(json: string | undefined, systemPrompt: string): string {
  const prompt: unknown = json === undefined ? '' : (JSON.parse(json) ?? '')
  const prefixed = (text: unknown) => {
    if (typeof text !== 'string') {
      throw new GatewayError('unsupported_value', 'This upstream begins every prompt with a text of its own.', { param: 'prompt' })
    }
    return `${systemPrompt}\n\n${text}`
  }
  return JSON.stringify(Array.isArray(prompt) ? prompt.map(prefixed) : prefixed(prompt))
}

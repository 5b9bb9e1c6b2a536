/** The closed list of edits in a Responses request: the channel's system prompt stands in its instructions. */
import type { RequestEdits } from '#canonical/codec'
import { editFields } from '../edit.ts'

/** `raw` is a body that readHead accepted. Usage needs no asking: every stream ends with it. */
export function editRequest(raw: string, { forceUsage: _, ...edits }: RequestEdits): string {
  return editFields(raw, edits, { field: 'instructions', put: withSystem })
}

/** The channel's words stand before the caller's; what is no text is left for the upstream to refuse. */
function withSystem(instructions: string | undefined, prompt: string): string | undefined {
  if (instructions === undefined || instructions === 'null' || instructions === '""') return JSON.stringify(prompt)
  if (!instructions.startsWith('"')) return instructions
  return `${JSON.stringify(`${prompt}\n\n`).slice(0, -1)}${instructions.slice(1)}`
}

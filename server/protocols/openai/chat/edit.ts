/** The closed list of edits in a Chat request, spliced into its raw text. */
import type { RequestEdits } from '#canonical/codec'
import { editFields } from '../edit.ts'

/** `raw` is a body that readHead accepted. The channel's system prompt becomes the first message. */
export function editRequest(raw: string, edits: RequestEdits): string {
  return editFields(raw, edits, { field: 'messages', put: withSystem })
}

function withSystem(messages: string | undefined, content: string): string | undefined {
  if (!messages?.startsWith('[')) return messages
  const rest = messages.slice(1)
  const comma = /^\s*\]/.test(rest) ? '' : ','
  return `[${JSON.stringify({ role: 'system', content })}${comma}${rest}`
}

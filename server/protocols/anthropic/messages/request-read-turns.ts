/** Messages as turns. Results of tools, which stand in a user message, become a turn of their own before it. */
import type { Part, Turn } from '#canonical/conversation'
import { type Fields, invalidField } from '#canonical/fields'
import type { MessagesBlock, MessagesMessage } from '#shared/protocols/anthropic/messages'
import { type Reading, readBlock } from './request-read-blocks.ts'

/** Throws GatewayError 400 with the field's path. */
export const readTurns = (messages: readonly Fields<MessagesMessage>[], reading: Reading): Turn[] =>
  messages.flatMap((message) => readMessage(message, reading))

function readMessage(message: Fields<MessagesMessage>, reading: Reading): Turn[] {
  const { path } = message
  const role = message.text('role')
  const parts = readContent(message, reading)
  switch (role) {
    case 'assistant':
    case 'system':
      return [{ role, parts, path }]
    case 'user': {
      const results = parts.filter((part) => part.kind === 'result')
      const rest = results.length === 0 ? parts : parts.filter((part) => part.kind !== 'result')
      const turns: Turn[] = []
      if (results.length > 0) turns.push({ role: 'tool', parts: results, path })
      if (rest.length > 0 || results.length === 0) turns.push({ role, parts: rest, path })
      return turns
    }
    default:
      throw invalidField(message.pathOf('role'), 'one of user, assistant, system')
  }
}

/** A text, or a list of blocks. */
function readContent(message: Fields<MessagesMessage>, reading: Reading): Part[] {
  const text = message.textIf('content')
  if (text !== undefined) return [{ kind: 'text', text }]
  return message.objects('content').map((block: Fields<MessagesBlock>) => readBlock(block, reading))
}

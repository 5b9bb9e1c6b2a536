/** Messages to turns. Results of tools, which stand in a user message, become a turn of their own before it. */
import type { Part, Turn } from '#canonical/conversation'
import type { MessagesMessage } from '#shared/protocols/anthropic/messages'
import { type Block, type Reading, readBlock } from './blocks-read.ts'
import { wrong } from './check.ts'

/** Throws GatewayError 400 with the field's path. */
export function readTurns(messages: readonly MessagesMessage[], reading: Reading): Turn[] {
  return messages.flatMap((message, index) => readMessage(message, `messages[${index}]`, reading))
}

function readMessage({ role, content }: MessagesMessage, path: string, reading: Reading): Turn[] {
  const parts = readContent(content, `${path}.content`, reading)
  switch (role) {
    case 'assistant':
      return [{ role, parts, path }]
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
      throw wrong(`${path}.role`, 'one of user, assistant, system')
  }
}

/** A text, or a list of blocks whose types the schema has checked. */
export function readContent(content: string | readonly Block[], path: string, reading: Reading): Part[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }]
  return content.map((block, index) => readBlock(block, `${path}[${index}]`, reading))
}

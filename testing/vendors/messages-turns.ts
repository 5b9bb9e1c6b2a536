/**
 * The Messages API's rules for turns: alternating roles, no empty text, media of the declared type, every tool_use answered in the next
 * user turn, and thinking returned unchanged.
 */
import { type Fields, isObject, mediaOf, objects, textOf, unknownField } from './body-checks.ts'
import { invalid, type MessagesFault, thinks, versions } from './messages-fault.ts'

/** One turn with its content blocks. */
export interface Turn {
  role: string
  blocks: Fields[]
}

/** The signature of a thinking text, which identifies the vendor and reveals changes to the text. */
export const signatureOf = (thought: string): string => Buffer.from(`signed by the scripted vendor: ${thought}`).toString('base64')

/** Turns as the server sees them: neighbours of the same role are merged, a string is one text block. */
export function mergedTurns(messages: unknown): Turn[] {
  const turns: Turn[] = []
  for (const message of objects(messages)) {
    const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : objects(message.content)
    const last = turns.at(-1)
    if (last !== undefined && last.role === message.role) last.blocks.push(...blocks)
    else turns.push({ role: textOf(message.role), blocks: [...blocks] })
  }
  return turns
}

/** Models that accept system instructions after a user turn. */
const takesSystemTurns = /^claude-(opus-4-8|[a-z]+-5)/
const roleOf = (message: unknown) => (isObject(message) ? message.role : undefined)

/** The first violation in the messages, or undefined. */
export function turnsFault(body: Fields, version: string): MessagesFault | undefined {
  const { messages } = body
  if (messages === undefined) return invalid('messages: Field required')
  if (!Array.isArray(messages) || messages.length === 0) return invalid('messages: at least one message is required')
  for (const [index, message] of messages.entries()) {
    const at = `messages.${index}`
    if (!isObject(message)) return invalid(`${at}: Input should be an object`)
    const extra = unknownField(message, 'role content')
    if (extra !== undefined) return invalid(`${at}.${extra}: Extra inputs are not permitted`)
    const isSystem = message.role === 'system' && takesSystemTurns.test(textOf(body.model)) && roleOf(messages[index - 1]) === 'user'
    if (message.role !== 'user' && message.role !== 'assistant' && !isSystem)
      return invalid(`${at}.role: Input should be 'user' or 'assistant'`)
    const fault = contentFault(message.content, textOf(message.role), at, index === messages.length - 1, version)
    if (fault !== undefined) return fault
  }
  const turns = mergedTurns(messages)
  if (turns[0]?.role !== 'user') return invalid('messages: first message must use the "user" role')
  return trailingFault(turns) ?? pairingFault(turns) ?? thoughtFault(turns, thinks(body))
}

function contentFault(content: unknown, role: string, at: string, last: boolean, version: string): MessagesFault | undefined {
  if (content === '' || (Array.isArray(content) && content.length === 0)) {
    return last && role === 'assistant'
      ? undefined
      : invalid(`${at}: all messages must have non-empty content except for the optional final assistant message`)
  }
  if (typeof content === 'string') return undefined
  if (!Array.isArray(content)) return invalid(`${at}.content: Input should be a valid string or list`)
  for (const [index, block] of content.entries()) {
    const fault = blockFault(block, role, `${at}.content.${index}`, version)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** The fields of each kind of block, and the roles that may use it. */
const kinds: Record<string, { fields: string; roles: string[] }> = {
  text: { fields: 'type text cache_control citations', roles: ['user', 'assistant', 'system', 'tool'] },
  image: { fields: 'type source cache_control', roles: ['user', 'tool'] },
  document: { fields: 'type source title context citations cache_control', roles: ['user', 'assistant', 'tool'] },
  search_result: { fields: 'type source title content citations cache_control', roles: ['user', 'tool'] },
  thinking: { fields: 'type thinking signature', roles: ['assistant'] },
  redacted_thinking: { fields: 'type data', roles: ['assistant'] },
  tool_use: { fields: 'type id name input cache_control caller', roles: ['assistant'] },
  tool_result: { fields: 'type tool_use_id is_error content cache_control', roles: ['user'] },
}

function blockFault(block: unknown, role: string, at: string, version: string): MessagesFault | undefined {
  if (!isObject(block)) return invalid(`${at}: Input should be an object`)
  const kind = kinds[textOf(block.type)]
  if (kind === undefined || !kind.roles.includes(role))
    return invalid(`${at}: Input tag '${block.type}' is not one of the expected tags here`)
  const extra = unknownField(block, kind.fields)
  if (extra !== undefined) return invalid(`${at}.${block.type}.${extra}: Extra inputs are not permitted`)
  if (block.type === 'text' && textOf(block.text) === '') return invalid('messages: text content blocks must be non-empty')
  if (version === versions.second) {
    if (block.type === 'document' && role === 'assistant') return invalid(`${at}: documents are not allowed in assistant messages`)
    if (block.type === 'text' && role === 'user' && objects(block.citations).length > 0) return invalid(`${at}.citations: not allowed`)
  }
  if (block.type === 'image' || block.type === 'document')
    return sourceFault(block.source, textOf(block.type), `${at}.${block.type}.source`)
  if (block.type === 'tool_use') return callFault(block, at)
  if (block.type === 'tool_result' && Array.isArray(block.content)) {
    return block.content
      .map((part, index) => blockFault(part, 'tool', `${at}.tool_result.content.${index}`, version))
      .find((fault) => fault !== undefined)
  }
  return undefined
}

const mediaTypes: Record<string, string[]> = {
  image: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  document: ['application/pdf'],
}

function sourceFault(source: unknown, kind: string, at: string): MessagesFault | undefined {
  if (!isObject(source)) return invalid(`${at}: Field required`)
  if (source.type !== 'base64') {
    return ['url', 'file', 'text', 'content'].includes(textOf(source.type)) ? undefined : invalid(`${at}: Input tag is not expected`)
  }
  const extra = unknownField(source, 'type media_type data')
  if (extra !== undefined) return invalid(`${at}.base64.${extra}: Extra inputs are not permitted`)
  if (!mediaTypes[kind]?.includes(textOf(source.media_type))) return invalid(`${at}.base64.media_type: Input is not a supported type`)
  return mediaOf(textOf(source.media_type), source.data) === undefined ? invalid(`${at}.base64: invalid base64 data`) : undefined
}

function callFault(block: Fields, at: string): MessagesFault | undefined {
  if (!/^[a-zA-Z0-9_-]+$/.test(textOf(block.id))) return invalid(`${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`)
  if (!isObject(block.input)) return invalid(`${at}.tool_use.input: Input should be a valid dictionary`)
  return undefined
}

function trailingFault(turns: Turn[]): MessagesFault | undefined {
  const last = turns.at(-1)
  const text = last?.role === 'assistant' ? textOf(last.blocks.at(-1)?.text) : ''
  return /\s$/.test(text) ? invalid('messages: final assistant content cannot end with trailing whitespace') : undefined
}

function pairingFault(turns: Turn[]): MessagesFault | undefined {
  for (const [index, turn] of turns.entries()) {
    const before = turns[index - 1]
    const asked = before?.role === 'assistant' ? idsOf(before, 'tool_use', 'id') : []
    const given = idsOf(turn, 'tool_result', 'tool_use_id')
    const stray = given.find((id) => !asked.includes(id))
    if (stray !== undefined) return invalid(`messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`)
    if (new Set(given).size < given.length) return invalid(`messages.${index}: each tool_use must have a single result`)
    const missing = asked.find((id) => !given.includes(id))
    if (missing !== undefined) {
      return invalid(
        `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      )
    }
    if (turn.blocks.findLastIndex(isResult) >= given.length) return invalid(`messages.${index}: tool_result blocks must come first`)
  }
  const open = turns.at(-1)
  const dangling = open?.role === 'assistant' ? idsOf(open, 'tool_use', 'id')[0] : undefined
  return dangling === undefined
    ? undefined
    : invalid(`\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${dangling}`)
}

const isResult = (block: Fields) => block.type === 'tool_result'
const idsOf = (turn: Turn, type: string, field: string) =>
  turn.blocks.filter((block) => block.type === type).map((block) => textOf(block[field]))

/** Thinking must be the vendor's own and unchanged, and a step that called tools while thinking must include it. */
function thoughtFault(turns: Turn[], thinking: boolean): MessagesFault | undefined {
  for (const [index, turn] of turns.entries()) {
    for (const block of turn.blocks) {
      if (block.type === 'thinking' && block.signature !== signatureOf(textOf(block.thinking))) {
        return invalid(`messages.${index}.content: Invalid \`signature\` in \`thinking\` block`)
      }
    }
  }
  if (!thinking) return undefined
  const current = turns.findLastIndex(({ role, blocks }) => role === 'user' && !blocks.some(isResult))
  const bare = turns
    .slice(current + 1)
    .find(
      ({ role, blocks }) =>
        role === 'assistant' && blocks.some(({ type }) => type === 'tool_use') && !/thinking/.test(textOf(blocks[0]?.type)),
    )
  return bare === undefined
    ? undefined
    : invalid(
        'Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.',
      )
}

/**
 * The request as it will be sent: messages and settings as a Chat Completions body. Only switched-on parameters become
 * fields. Reasoning is never sent back, and turns without an answer are left out.
 */
import { hasContent, type Message, type UserMessage } from '#client/features/playground/conversation/conversation.ts'
import { clamp, fieldOf, rangeOf, type Settings, sliderNames } from '#client/features/playground/conversation/settings.ts'
import type { ModelRow } from '#shared/console/model'

/** A Chat Completions request; `group` and `team` are Parley's own fields. */
export interface ChatBody {
  group?: string
  team?: string
  model: string
  messages: Record<string, unknown>[]
  [field: string]: unknown
}

/**
 * The body for the messages of `path`, root first. Throws SyntaxError when the tools or the schema are not JSON; the panel
 * already shows that beside the field.
 */
export function buildBody(
  asked: { group: string; model: string },
  settings: Settings,
  path: readonly Message[],
  model: ModelRow | undefined,
): ChatBody {
  const payer = settings.team === undefined ? {} : { team: settings.team }
  const body: ChatBody = { group: asked.group, ...payer, model: asked.model, messages: messagesOf(settings.system, sentMessages(path)) }
  for (const name of sliderNames) {
    if (settings[name].on) body[tokenField(name, model) ?? fieldOf[name]] = clamp(settings[name].value, rangeOf(name, model))
  }
  if (settings.effort !== null) body.reasoning_effort = settings.effort
  if (settings.seed !== null) body.seed = settings.seed
  if (settings.stop.length > 0) body.stop = settings.stop
  if (settings.output === 'json') body.response_format = { type: 'json_object' }
  if (settings.output === 'schema' && settings.schema.trim() !== '') {
    body.response_format = { type: 'json_schema', json_schema: { name: 'reply', strict: true, schema: JSON.parse(settings.schema) } }
  }
  if (settings.tools.trim() !== '') {
    const tools: unknown = JSON.parse(settings.tools)
    if (Array.isArray(tools) && tools.length > 0) body.tools = tools
  }
  if (settings.stream) {
    body.stream = true
    body.stream_options = { include_usage: true }
  }
  return body
}

/** A body whose JSON starts like that of `body` for at least so many characters, with as few of its messages as possible. */
export function beginningOf(body: ChatBody | undefined, characters: number): ChatBody | undefined {
  if (body === undefined) return undefined
  let seen = 0
  const end = body.messages.findIndex(({ content }) => {
    seen += typeof content === 'string' ? content.length : 0
    return seen >= characters
  })
  return end === -1 ? body : { ...body, messages: body.messages.slice(0, end + 1) }
}

/** Models that refuse sampling parameters refuse the older name of Max tokens, too, unless their service knows only that one. */
function tokenField(name: string, model: ModelRow | undefined): string | undefined {
  return name === 'maxTokens' && refusesOlder(model) ? 'max_completion_tokens' : undefined
}

const refusesOlder = (model: ModelRow | undefined) =>
  model?.capabilities.samplingRefused === true && model.capabilities.legacyMaxTokens !== true

/**
 * The messages of `path` that its request contains. Left out are tool calls that have no results, and earlier questions that got no
 * answer: providers refuse the former, and most models answer the latter again. Also left out is what the user has cut off.
 */
export function sentMessages(path: readonly Message[]): Message[] {
  const turns: Message[][] = []
  for (const message of path.slice(beginOf(path))) {
    if (message.role === 'user' || turns.length === 0) turns.push([])
    turns.at(-1)?.push(message)
  }
  return turns
    .map(withoutOpenCalls)
    .filter((turn, at) => at === turns.length - 1 || turn.some(({ role }) => role === 'assistant'))
    .flat()
}

/** The index of the first message that the user has not cut off. */
export const beginOf = (path: readonly Message[]) =>
  Math.max(
    0,
    path.findLastIndex((message) => message.role === 'user' && message.begins),
  )

/** The first question of the newer half of the sent questions; undefined if there is only one. */
export function laterHalf(path: readonly Message[]): UserMessage | undefined {
  const questions = sentMessages(path).filter((message) => message.role === 'user')
  return questions[Math.ceil(questions.length / 2)]
}

function withoutOpenCalls(turn: Message[]): Message[] {
  const answered = new Set(turn.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])))
  const open = new Set<string>()
  const kept = turn.flatMap((message): Message[] => {
    if (message.role !== 'assistant') return [message]
    const whole = message.calls.every((call) => answered.has(call.id))
    if (!whole) for (const call of message.calls) open.add(call.id)
    const sent = whole ? message : { ...message, calls: [] }
    return hasContent(sent) ? [sent] : []
  })
  return kept.filter((message) => message.role !== 'tool' || !open.has(message.callId))
}

function messagesOf(system: string, path: readonly Message[]): Record<string, unknown>[] {
  const messages: Record<string, unknown>[] = system.trim() === '' ? [] : [{ role: 'system', content: system }]
  for (const message of path) {
    if (message.role === 'user') messages.push({ role: 'user', content: message.text })
    else if (message.role === 'tool') messages.push({ role: 'tool', tool_call_id: message.callId, content: message.text })
    else if (message.calls.length > 0) {
      const calls = message.calls.map((call) => ({
        id: call.id,
        type: 'function',
        function: { name: call.name, arguments: call.arguments },
      }))
      messages.push({ role: 'assistant', content: message.text === '' ? null : message.text, tool_calls: calls })
    } else if (hasContent(message)) messages.push({ role: 'assistant', content: message.text || message.refusal })
  }
  return messages
}

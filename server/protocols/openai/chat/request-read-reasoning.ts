/**
 * How much the model should reason: OpenAI's `reasoning_effort`, and the fields of vendors with a copy of this dialect. The first one set
 * counts; all of them are restored unchanged when the request is written for this dialect again.
 */
import type { Effort, ReasoningSettings } from '#canonical/conversation'
import type { Fields, JsonObject } from '#protocols/codec/fields'
import type { ChatReasoning, ChatRequest, ChatThinking } from '#shared/protocols/openai/chat'

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

/** Fields of vendors other than OpenAI. */
export const vendorFields = ['thinking', 'reasoning', 'enable_thinking', 'thinking_budget'] as const

const off: ReasoningSettings = { effort: 'none', budget: 0 }
const on: ReasoningSettings = { adaptive: true, visible: 'summary' }

/**
 * The requested reasoning, and in `own` any vendor fields unchanged. Those that cannot be understood stay unread. Throws GatewayError 400
 * for an effort that does not exist.
 */
export function readReasoningSettings(body: Fields<ChatRequest>): { reasoning: ReasoningSettings; own: JsonObject } {
  const effort = readEffort(body)
  const own: JsonObject = {}
  const found = [effort]
  if (body.kind('reasoning') === 'object') {
    own.reasoning = body.json('reasoning')
    found.push(readRouted(body.objectIf('reasoning')))
  }
  if (body.kind('thinking') === 'object') {
    own.thinking = body.json('thinking')
    found.push(readThinking(body.objectIf('thinking')))
  }
  if (body.kind('enable_thinking') === 'flag') found.push(readSwitch(body, own))
  const isVendors = Object.keys(own).length > 0
  return {
    reasoning: found.find((one) => one !== undefined) ?? {},
    own: isVendors && effort?.effort !== undefined ? { ...own, reasoning_effort: effort.effort } : own,
  }
}

/** A client that sets an effort may see the reasoning: many clients of this dialect show `reasoning_content`. */
function readEffort(body: Fields<ChatRequest>): ReasoningSettings | undefined {
  const effort = body.word('reasoning_effort', efforts)
  return effort === undefined ? undefined : shown(effort)
}

const shown = (effort: Effort): ReasoningSettings => (effort === 'none' ? { effort } : { effort, visible: 'summary' })

function readRouted(fields: Fields<ChatReasoning> | undefined): ReasoningSettings | undefined {
  if (!fields) return undefined
  const effort = efforts.find((one) => one === fields.json('effort'))
  const budget = tokens(fields.json('max_tokens'))
  const visible = fields.json('exclude') === true ? ('none' as const) : ('summary' as const)
  const enabled = fields.json('enabled')
  if (enabled === false || effort === 'none') return off
  if (effort === undefined && budget === undefined) return enabled === true ? { ...on, visible } : undefined
  return { ...(effort !== undefined && { effort }), ...(budget !== undefined && { budget }), visible }
}

function readThinking(fields: Fields<ChatThinking> | undefined): ReasoningSettings | undefined {
  const type = fields?.json('type')
  const budget = tokens(fields?.json('budget_tokens'))
  if (type === 'disabled') return off
  if (type !== 'enabled' && type !== 'adaptive' && type !== 'auto') return undefined
  return budget === undefined ? on : { budget, visible: 'summary' }
}

function readSwitch(body: Fields<ChatRequest>, own: JsonObject): ReasoningSettings {
  own.enable_thinking = body.json('enable_thinking')
  const budget = tokens(body.json('thinking_budget'))
  if (budget !== undefined) own.thinking_budget = budget
  if (own.enable_thinking === false) return off
  return budget === undefined ? on : { budget, visible: 'summary' }
}

const tokens = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined

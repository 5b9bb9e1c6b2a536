/** How much the model should reason, in the form that this model of the vendor takes. */
import type { ConversationRequest, Effort, ReasoningSettings } from '#canonical/conversation'
import { type FieldWriters, writeFields, writtenElsewhere } from '#protocols/codec/field-writers'
import type { Json } from '../frame.ts'
import type { RequestContext } from './request-write-context.ts'

/** The wire fields for thinking. */
export interface Thinking {
  thinking?: Json
  effort?: string
  /** The model will think, which rules out other fields. */
  isOn: boolean
}

/** What else the request decides about thinking. */
export interface Circumstances {
  maxTokens: number
  /** A tool call is forced, which rules out reasoning first. */
  forcing: boolean
  /** The thoughts before the last tool calls are gone. */
  lost: boolean
  /** The answer is prefilled: the last message is its beginning. */
  begun: boolean
}

const least = 1024
/** Token budgets for models without effort levels, largest first. */
const budgets: Readonly<Record<Effort, number>> = { none: 0, minimal: 1024, low: 1024, medium: 4096, high: 16384, xhigh: 32768, max: 63999 }

const settingWriters: FieldWriters<ReasoningSettings, RequestContext> = {
  visible: (visible, { request }) => ({ display: visible === 'none' ? 'omitted' : noted(request, 'updates') ? 'updates' : 'summarized' }),
  // How much to think is one decision over these three: writeThinking.
  effort: writtenElsewhere,
  budget: writtenElsewhere,
  adaptive: writtenElsewhere,
}

/** `thinking` and `output_config.effort`. A budget is always smaller than `maxTokens`. */
export function writeThinking(writing: RequestContext, circumstances: Circumstances): Thinking {
  const { losses, target, request } = writing
  const settings = request.reasoning
  const { thinkingAlwaysOn: always, budgetOnly } = target.capabilities
  if (settings.budget === 0 || settings.effort === 'none') return switchedOff(writing)
  if (settings.budget === undefined && settings.effort === undefined && settings.adaptive !== true) return { isOn: always === true }
  const effort = budgetOnly === true ? {} : { effort: levelOf(settings, writing) }

  const reason = impossible(circumstances)
  if (reason !== undefined && always !== true) {
    losses.altered('reasoning', reason)
    return { ...withEffort(effort), isOn: false }
  }
  // For this vendor an effort alone concerns the whole answer and does not switch reasoning on; elsewhere it means reasoning.
  if (request.dialect === 'messages' && settings.budget === undefined && settings.adaptive !== true && budgetOnly !== true) {
    return { ...withEffort(effort), isOn: always === true }
  }
  const display = writeFields(settings, settingWriters, writing)
  const budget = budgetFor(settings, writing, circumstances.maxTokens)
  if (budget !== undefined) return { thinking: { type: 'enabled', budget_tokens: budget, ...display }, ...withEffort(effort), isOn: true }
  if (budgetOnly === true) {
    losses.altered('reasoning', 'The output limit leaves no room for reasoning.')
    return { isOn: false }
  }
  const thinking = noted(request, 'between_tools') ? { type: 'between_tools' } : { type: 'adaptive', ...display }
  return { thinking, ...withEffort(effort), isOn: true }
}

/** What the reader of this dialect recorded about its own `thinking`. */
const noted = ({ extensions }: ConversationRequest, word: string): boolean => extensions.messages?.[`thinking.${word}`] === true

const withEffort = ({ effort }: { effort?: string | undefined }) => (effort === undefined ? {} : { effort })

function impossible({ forcing, lost, begun }: Circumstances): string | undefined {
  if (forcing) return 'A model that must call a tool cannot think first.'
  if (begun) return 'A model that goes on with a message of the assistant cannot think first.'
  return lost ? 'The thoughts before the last tool calls are gone, so the model goes on without thinking.' : undefined
}

function switchedOff({ target, losses }: RequestContext): Thinking {
  if (target.capabilities.thinkingAlwaysOn !== true) return { thinking: { type: 'disabled' }, isOn: false }
  losses.altered('reasoning', 'This model always reasons; it is asked for the least.')
  return { effort: 'low', isOn: true }
}

/** The effort to ask for, derived from a budget if the model takes none. */
function levelOf({ effort, budget }: ReasoningSettings, { losses, target }: RequestContext): string | undefined {
  if (effort === 'minimal') losses.adapted('reasoning.effort', 'The least effort of this upstream is `low`.')
  if (effort !== undefined) return effort === 'minimal' ? 'low' : effort
  if (budget === undefined || budget < 0 || target.capabilities.adaptiveOnly !== true) return undefined
  losses.adapted('reasoning.budget', 'This model takes an effort and no budget.')
  if (budget <= 2048) return 'low'
  if (budget <= 8192) return 'medium'
  return budget <= 24576 ? 'high' : 'xhigh'
}

/** The reasoning budget in tokens, or undefined if the model decides or the limit leaves no room. */
function budgetFor(settings: ReasoningSettings, { losses, target }: RequestContext, maxTokens: number): number | undefined {
  const { adaptiveOnly, budgetOnly } = target.capabilities
  const asked = settings.budget !== undefined && settings.budget > 0 ? settings.budget : undefined
  if (adaptiveOnly === true || (asked === undefined && budgetOnly !== true)) return undefined
  if (asked === undefined) losses.adapted('reasoning.effort', 'This model takes a budget and no effort.')
  const wanted = Math.min(Math.max(asked ?? budgets[settings.effort ?? 'high'], least), budgets.max)
  // Half for thinking and half for the answer, where both do not fit.
  const budget = wanted < maxTokens ? wanted : Math.max(least, Math.floor(maxTokens / 2))
  if (asked !== undefined && budget !== asked) losses.adapted('reasoning.budget', 'The budget was clamped to its limits.')
  return budget < maxTokens ? budget : undefined
}

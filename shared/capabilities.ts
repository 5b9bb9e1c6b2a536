/**
 * What is known about one model: facts that routing, billing and the codecs read. Vendors state them (`server/vendors/models`),
 * a channel may override each (`models[].capabilities`). An absent fact means the usual behaviour of current models.
 */
export interface Capabilities {
  /** Largest context, in tokens, input and output together. */
  contextTokens?: number
  /** Largest answer, in tokens. */
  maxOutputTokens?: number
  /** Largest thinking budget, in tokens. */
  maxThinkingBudget?: number
  /** Inputs that one embeddings request may hold. */
  maxInputs?: number
  /** Operations that the model supports, separated by spaces. Absent: all that its channel offers. */
  serves?: string
  /** Images can be part of the input. For display only. */
  vision?: boolean
  /** Tools can be called. For display only. */
  tools?: boolean
  /** The model thinks before it answers. For display only. */
  reasoning?: boolean
  /** An image request may name its size. */
  imageSizes?: boolean
  /** Thinking cannot be switched off. */
  thinkingAlwaysOn?: boolean
  /** Thinking takes no budget: the model decides, within an effort. */
  adaptiveOnly?: boolean
  /** Thinking takes a budget and no effort. */
  budgetOnly?: boolean
  /** The lowest effort is `low`: `minimal` is refused. */
  minimalRefused?: boolean
  /** Reasoning fields are refused. */
  reasoningRefused?: boolean
  /** Thoughts of earlier turns must be sent back as plain `reasoning_content`. */
  reasoningEchoed?: boolean
  /** Every tool call in the history must carry its thought signature. */
  thoughtSignatureRequired?: boolean
  /** Temperature, top_p and the like are refused. */
  samplingRefused?: boolean
  /** Temperature or top_p, not both. */
  topPWithTemperatureRefused?: boolean
  /** The conversation must end with a user message: the model cannot continue a partial answer. */
  prefillRefused?: boolean
  /** System messages are allowed only at the beginning, not between turns. */
  noSystemTurns?: boolean
  /** No tool can be forced. */
  forcedToolRefused?: boolean
  /** Tools with free text instead of JSON arguments are refused. */
  customToolsRefused?: boolean
  /** Hosted web search cannot be combined with the caller's own tools. */
  searchBesideToolsRefused?: boolean
  /** Chat requests take no `web_search_options`. */
  chatSearchRefused?: boolean
  /** Cache breakpoints in content are refused. */
  cacheMarksRefused?: boolean
  /** Media must come as bytes: addresses are refused. */
  mediaUrlsRefused?: boolean
  /** Ids of tool calls must be nine letters and digits. */
  shortCallIds?: boolean
  /** The output limit is called `max_tokens` instead of `max_completion_tokens`. */
  legacyMaxTokens?: boolean
  /** Schemas are a subset of OpenAPI's instead of JSON Schema. */
  olderSchema?: boolean
}

const kinds: Readonly<Record<keyof Capabilities, 'number' | 'boolean' | 'string'>> = {
  contextTokens: 'number',
  maxOutputTokens: 'number',
  maxThinkingBudget: 'number',
  maxInputs: 'number',
  serves: 'string',
  vision: 'boolean',
  tools: 'boolean',
  reasoning: 'boolean',
  imageSizes: 'boolean',
  thinkingAlwaysOn: 'boolean',
  adaptiveOnly: 'boolean',
  budgetOnly: 'boolean',
  minimalRefused: 'boolean',
  reasoningRefused: 'boolean',
  reasoningEchoed: 'boolean',
  thoughtSignatureRequired: 'boolean',
  samplingRefused: 'boolean',
  topPWithTemperatureRefused: 'boolean',
  prefillRefused: 'boolean',
  noSystemTurns: 'boolean',
  forcedToolRefused: 'boolean',
  customToolsRefused: 'boolean',
  searchBesideToolsRefused: 'boolean',
  chatSearchRefused: 'boolean',
  cacheMarksRefused: 'boolean',
  mediaUrlsRefused: 'boolean',
  shortCallIds: 'boolean',
  legacyMaxTokens: 'boolean',
  olderSchema: 'boolean',
}

/** The facts that a channel declares and Parley knows; other names, and values of another type, are left out. */
export function declaredCapabilities(declared: Readonly<Record<string, unknown>>): Capabilities {
  const known = Object.entries(kinds).filter(([fact, kind]) => typeof declared[fact] === kind)
  return Object.fromEntries(known.map(([fact]) => [fact, declared[fact]]))
}

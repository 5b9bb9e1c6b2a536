/**
 * What services with a copy of the Chat API have in common: they take `max_tokens` and function tools, but no cache breakpoints in
 * content, no free-text tools and no web search. Read: the AI SDK's client for such services (github vercel/ai
 * packages/openai-compatible and the packages of the single ones), which sends nothing else. A channel can override each fact.
 */
import type { Capabilities } from '#shared/capabilities'

/** The common facts. */
export const copiedFacts: Capabilities = {
  legacyMaxTokens: true,
  customToolsRefused: true,
  cacheMarksRefused: true,
  chatSearchRefused: true,
}

/** GLM takes no other choice of tools than `auto`. Read: https://java.agentscope.io/v2/en/integration/model/glm. */
export const glmFacts: Capabilities = { forcedToolRefused: true }

/**
 * What services that copy the Chat layout have in common: they take `max_tokens` and know function tools, and neither cache
 * breakpoints in content nor tools of free text nor a search of the web. Read: the AI SDK's client for such services (github vercel/ai
 * packages/openai-compatible and the packages of the single ones), which sends nothing else. A channel can override every one.
 */
import type { Capabilities } from '#shared/capabilities'

export const copiedFacts: Capabilities = {
  legacyMaxTokens: true,
  customToolsRefused: true,
  cacheMarksRefused: true,
  chatSearchRefused: true,
}

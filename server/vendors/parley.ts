/** Another Parley: every dialect under one URL, credentials accepted in any header (CONTRACT section 5). */
import type { Dialect } from '#shared/ids'
import { cleanBase, modelSegment, withoutVersion } from './address.ts'
import { messagesEndpoint } from './anthropic.ts'
import { gemini } from './gemini.ts'
import { openaiEndpoint } from './openai-paths.ts'
import type { Vendor } from './vendor.ts'

const layouts: Record<Dialect, Vendor['endpoint']> = {
  chat: openaiEndpoint,
  completions: openaiEndpoint,
  responses: openaiEndpoint,
  messages: messagesEndpoint,
  gemini: gemini.endpoint,
}

/** A Parley as an upstream. */
export const parley: Vendor = {
  id: 'parley',
  title: 'Parley',
  speaks: ['chat', 'responses', 'messages', 'gemini', 'completions'],
  operations: [
    'generate',
    'embed',
    'image',
    'video',
    'transcribe',
    'speak',
    'rerank',
    'moderate',
    'realtime',
    'compact',
    'search',
    'interact',
  ],
  sessions: ['chat', 'gemini'],
  baseUrl: undefined,
  keyless: false,
  auth: 'bearer',
  endpoint(baseUrl, target) {
    if (target.operation === 'interact') return gemini.endpoint(withoutVersion(cleanBase(baseUrl)), { ...target, dialect: 'gemini' })
    const isByDialect = target.operation === 'generate' || (target.operation === 'realtime' && target.dialect === 'gemini')
    const layout = isByDialect ? layouts[target.dialect] : openaiEndpoint
    const url = layout(withoutVersion(cleanBase(baseUrl)), target)
    return target.variant === 'transcription' ? `${url}&model=${modelSegment(target.model)}` : url
  },
  capabilities: () => ({}),
}

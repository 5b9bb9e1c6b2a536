/**
 * Deepgram: transcriptions and speech in its own format. No chat.
 * Read: https://developers.deepgram.com/reference/authentication, .../docs/tts-media-output-settings, .../reference/errors, and the
 * package @ai-sdk/deepgram (github vercel/ai packages/deepgram).
 */
import { cleanBase, notServed, withoutVersion } from './address.ts'
import type { EndpointTarget, Vendor } from './vendor.ts'

function endpoint(baseUrl: string, { operation }: EndpointTarget): string {
  const host = withoutVersion(cleanBase(baseUrl))
  // The codec appends the model and its options.
  if (operation === 'speak') return `${host}/v1/speak`
  if (operation === 'transcribe') return `${host}/v1/listen`
  throw notServed()
}

/** Deepgram's API. */
export const deepgram: Vendor = {
  id: 'deepgram',
  title: 'Deepgram',
  speaks: [],
  operations: ['speak', 'transcribe'],
  styles: { speak: 'deepgram', transcribe: 'deepgram' },
  baseUrl: 'https://api.deepgram.com',
  keyless: false,
  auth: 'token',
  endpoint,
  capabilities: () => ({}),
}

/**
 * ElevenLabs: speech and transcriptions in its own format. No chat.
 * Read: https://elevenlabs.io/docs/api-reference, and the package @ai-sdk/elevenlabs (github vercel/ai packages/elevenlabs).
 */
import { cleanBase, notServed, withoutVersion } from './address.ts'
import type { EndpointTarget, Vendor } from './vendor.ts'

function endpoint(baseUrl: string, { operation }: EndpointTarget): string {
  const host = withoutVersion(cleanBase(baseUrl))
  // The codec appends the voice.
  if (operation === 'speak') return `${host}/v1/text-to-speech`
  if (operation === 'transcribe') return `${host}/v1/speech-to-text`
  throw notServed()
}

/** ElevenLabs' API. */
export const elevenlabs: Vendor = {
  id: 'elevenlabs',
  title: 'ElevenLabs',
  speaks: [],
  operations: ['speak', 'transcribe'],
  styles: { speak: 'elevenlabs', transcribe: 'elevenlabs' },
  baseUrl: 'https://api.elevenlabs.io',
  keyless: false,
  auth: 'xi-api-key',
  endpoint,
  capabilities: () => ({}),
}

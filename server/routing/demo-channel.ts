/** The built-in demo channel of CONTRACT section 2: never stored; active while there are no other channels, or always, or never. */
import type { ChannelRecord } from '#store/channels/channels'
import { wholeColumns } from './channel-fields.ts'

/** When the demo channel is active; `auto` = while there are no other channels. */
export type DemoMode = 'auto' | 'on' | 'off'

/** The demo channel as a row; managed by the file, since the console cannot change it. */
export function demoRecord(createdAt: Date): ChannelRecord {
  const columns = wholeColumns({
    name: 'demo',
    vendor: 'demo',
    models: [
      'parley-demo',
      'parley-demo-embed',
      'parley-demo-image',
      'parley-demo-transcribe',
      'parley-demo-speech',
      'parley-demo-realtime',
      'parley-demo-rerank',
      'parley-demo-moderation',
    ],
  })
  return { ...columns, id: 'demo', managed: 'file', createdAt, keys: [] }
}

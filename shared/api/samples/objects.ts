/** Samples of objects in an upstream's account: how one of each kind is made. The demo has none. */
import { anthropic, bearer, form, google, post, type Sample } from '../sample.ts'

const sh = { language: 'sh', prints: 'text', shows: 'unsupported_here' } as const

const managed = (path: string, body: string) => post(path, body, { key: anthropic })

/** In the order in which they run. */
export const objectSamples: readonly Sample[] = [
  { ...sh, route: 'POST /v1/vector_stores', text: post('/v1/vector_stores', '{"name": "Handbook"}') },
  { ...sh, route: 'POST /v1/containers', text: post('/v1/containers', '{"name": "Workshop"}') },
  {
    ...sh,
    route: 'POST /v1/audio/voice_consents',
    text: `printf 'sound' > me.wav\n${form('/v1/audio/voice_consents', ['name=me', 'language=en-US', 'recording=@me.wav'])}`,
  },
  {
    ...sh,
    route: 'POST /v1/audio/voices',
    text: post('/v1/audio/voices', '{"type": "prompt", "name": "calm", "prompt": "A calm voice"}'),
  },
  {
    ...sh,
    route: 'POST /v1/skills',
    text: `printf '# Tiles' > SKILL.md\ncurl -s "$PARLEY_URL/v1/skills" ${bearer} \\\n  -F 'files[]=@SKILL.md;filename=tiles/SKILL.md'`,
  },
  { ...sh, route: 'POST /v1/memory_stores', text: managed('/v1/memory_stores', '{"name": "Notes"}') },
  { ...sh, route: 'POST /v1/agents', text: managed('/v1/agents', '{"name": "Clerk", "model": "parley-demo"}') },
  { ...sh, route: 'POST /v1/environments', text: managed('/v1/environments', '{"name": "Workshop"}') },
  { ...sh, route: 'POST /v1/vaults', text: managed('/v1/vaults', '{"display_name": "Keys"}') },
  {
    ...sh,
    route: 'POST /v1beta/cachedContents',
    text: post(
      '/v1beta/cachedContents',
      '{"model": "models/parley-demo", "contents": [{"role": "user", "parts": [{"text": "A long text"}]}]}',
      {
        key: google,
      },
    ),
  },
  {
    ...sh,
    route: 'POST /v1beta/fileSearchStores',
    text: post('/v1beta/fileSearchStores', '{"displayName": "Handbook"}', { key: google }),
  },
]

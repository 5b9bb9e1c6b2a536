/** Samples of the endpoints of realtime sessions. */
import { form, google, post, type Sample } from '../sample.ts'

const callNote = 'The demo holds no calls and refuses this. A channel of OpenAI’s or Azure’s serves it; browsers make the offer themselves.'
const noCallNote =
  'There is no such call here, which is refused. Its id is in `Location`, or in the upstream’s webhook for a call that came in.'
const bodies: Record<string, string> = {
  accept: '{"type": "realtime", "model": "parley-demo-realtime"}',
  reject: '{"status_code": 486}',
  refer: '{"target_uri": "tel:+14155550123"}',
}

/** In the order in which they run. */
export const realtimeSamples: readonly Sample[] = [
  {
    route: 'GET /v1/realtime',
    language: 'js',
    text: `const { PARLEY_URL, PARLEY_KEY } = process.env
const address = \`\${PARLEY_URL.replace(/^http/, 'ws')}/v1/realtime?model=parley-demo-realtime\`
const socket = new WebSocket(address, ['realtime', \`openai-insecure-api-key.\${PARLEY_KEY}\`])
const send = (event) => socket.send(JSON.stringify(event))

socket.onmessage = ({ data }) => {
  const event = JSON.parse(data)
  if (event.type === 'session.created') {
    const content = [{ type: 'input_text', text: 'Hello' }]
    send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
    send({ type: 'response.create' })
  }
  if (event.type === 'response.output_text.delta') console.log(event.delta)
  if (event.type === 'response.done') {
    console.log(event.response.status)
    socket.close()
  }
}`,
    prints: 'text',
    shows: 'completed',
    note: 'Node 22 or later, or Bun. Clients that can send headers use `Authorization: Bearer` instead.',
  },
  {
    route: 'POST /v1/realtime/calls',
    language: 'sh',
    text: `printf 'v=0\\r\\no=- 1 1 IN IP4 127.0.0.1\\r\\ns=-\\r\\n' > offer.sdp
${form('/v1/realtime/calls', ['sdp=@offer.sdp', `'session={"type": "realtime", "model": "parley-demo-realtime"}'`])}`,
    prints: 'json',
    shows: '"unsupported_here"',
    refusal: 'unsupported_here',
    note: callNote,
  },
  ...['accept', 'reject', 'refer', 'hangup'].map(
    (action): Sample => ({
      route: `POST /v1/realtime/calls/{id}/${action}`,
      language: 'sh',
      text: post(`/v1/realtime/calls/rtc_1/${action}`, bodies[action] ?? '{}'),
      prints: 'json',
      ...(action === 'accept'
        ? { shows: '"unsupported_here"', refusal: 'unsupported_here', note: callNote }
        : { shows: '"not_found"', refusal: 'not_found', note: noCallNote }),
    }),
  ),
  {
    route: 'GET /ws/{service}',
    language: 'js',
    text: `const { PARLEY_URL, PARLEY_KEY } = process.env
const service = 'google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'
const socket = new WebSocket(\`\${PARLEY_URL.replace(/^http/, 'ws')}/ws/\${service}?key=\${PARLEY_KEY}\`)

socket.onopen = () => socket.send(JSON.stringify({ setup: { model: 'models/parley-demo-realtime' } }))
socket.onmessage = async ({ data }) => console.log(typeof data === 'string' ? data : await data.text())
socket.onclose = ({ code, reason }) => console.log(code, reason)`,
    prints: 'text',
    shows: 'This model is only available in sessions of OpenAI’s Realtime',
    note: 'The demo speaks OpenAI’s words only and refuses this. A Gemini channel serves it, with `ai.live.connect` of Google’s SDK too.',
  },
  {
    route: 'POST /v1/realtime/client_secrets',
    language: 'sh',
    text: post(
      '/v1/realtime/client_secrets',
      '{"session": {"type": "realtime", "model": "parley-demo-realtime", "instructions": "Be brief."}}',
    ),
    prints: 'json',
    shows: '"ek_',
  },
  {
    route: 'POST /v1/realtime/transcription_sessions',
    language: 'sh',
    text: post('/v1/realtime/transcription_sessions', '{"input_audio_transcription": {"model": "parley-demo-transcribe"}}'),
    prints: 'json',
    shows: '"client_secret"',
  },
  {
    route: 'POST /v1/realtime/sessions',
    language: 'sh',
    text: post('/v1/realtime/sessions', '{"model": "parley-demo-realtime", "instructions": "Be brief."}'),
    prints: 'json',
    shows: '"client_secret"',
  },
  {
    route: 'GET /ws/{service}/{method}',
    language: 'js',
    text: `const { PARLEY_URL, PARLEY_KEY } = process.env
const method = 'google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent'
const socket = new WebSocket(\`\${PARLEY_URL.replace(/^http/, 'ws')}/ws/\${method}?key=\${PARLEY_KEY}\`)

socket.onopen = () => socket.send(JSON.stringify({ setup: { model: 'publishers/google/models/parley-demo-realtime' } }))
socket.onclose = ({ code, reason }) => console.log(code, reason)`,
    prints: 'text',
    shows: 'This model is only available in sessions of OpenAI’s Realtime',
    note: 'The demo speaks OpenAI’s words only and refuses this. A Gemini channel serves it, with `ai.live.connect` of Google’s SDK too.',
  },
  ...['v1alpha', 'v1beta', 'v1'].map(
    (version): Sample => ({
      route: `POST /${version}/auth_tokens`,
      language: 'sh',
      text: post(`/${version}/auth_tokens`, '{"uses": 1, "bidiGenerateContentSetup": {"generationConfig": {"temperature": 0.7}}}', {
        key: google,
      }),
      prints: 'json',
      shows: '"auth_tokens/',
    }),
  ),
]

/** The reference's descriptions of the endpoints of realtime sessions. */
import type { RouteDoc } from './route-doc.ts'

const realtime = { who: 'key', tag: 'Realtime' } as const
const sockets: readonly RouteDoc[] = [
  {
    ...realtime,
    route: 'GET /v1/realtime',
    summary: 'Open a realtime session',
    description:
      'A WebSocket. The key is sent in any of the headers, or as the subprotocol `openai-insecure-api-key.KEY` next to `realtime`. Errors before the upgrade have their HTTP status.',
    parameters: [
      { name: 'model', in: 'query', description: 'Name of a realtime model.' },
      {
        name: 'call_id',
        in: 'query',
        description: 'In place of the model: one’s own call, beside which the session stands. What is said there is charged with the call.',
      },
      {
        name: 'intent',
        in: 'query',
        description: '`transcription`: a session that only transcribes what it hears, with the model of the query or of the client secret.',
      },
    ],
    gives: { status: 101 },
  },
  {
    ...realtime,
    route: 'GET /ws/:service',
    summary: 'Gemini: open a live session',
    description:
      'A WebSocket. The service is `google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent`, or the same of `v1` or `v1alpha`. The first frame, `setup`, names a model of a Gemini or Vertex channel. Frames pass unchanged but for handles of `sessionResumption`, which are sealed: they are good for their own user. What is refused after the upgrade closes the connection with 1007, 1008, 1011 or 1013 and the reason. `BidiGenerateContentConstrained` is the same with a token of `/v1alpha/auth_tokens` as `access_token`.',
    gives: { status: 101 },
  },
  {
    ...realtime,
    route: 'GET /ws/:service/:method',
    summary: 'Gemini: open a live session as clients of Vertex do',
    description:
      'The same at `google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent`, or of `v1beta1`. What was used is told under the names of Vertex, on any channel.',
    gives: { status: 101 },
  },
]

const secrets: readonly RouteDoc[] = [
  {
    ...realtime,
    route: 'POST /v1/realtime/client_secrets',
    summary: 'A key for a browser’s realtime session',
    description:
      'Good for 10 minutes, or 10 seconds to 2 hours as `expires_after` says, at the WebSocket and nowhere else, for the money and within the limits of the key that asked for it; it ends with that key. What `session` says is set when the session begins.',
    takes: { json: 'ClientSecretRequest' },
    gives: { json: ['ClientSecret'] },
  },
  {
    ...realtime,
    route: 'POST /v1/realtime/transcription_sessions',
    summary: 'The same for a session that only transcribes, in the beta version',
    description: 'Good for a minute. The present protocol asks for one with `session.type` `transcription` at `client_secrets`.',
    takes: { json: 'TranscriptionSession' },
    gives: { json: ['RealtimeSessionSecret'] },
  },
  {
    ...realtime,
    route: 'POST /v1/realtime/sessions',
    summary: 'The same for the beta version of the protocol',
    description: 'Good for a minute.',
    takes: { json: 'RealtimeSession' },
    gives: { json: ['RealtimeSessionSecret'] },
  },
]

const ofToken =
  'For a browser: good for `uses` sessions (1; 0 for any number) that begin before `newSessionExpireTime` (a minute) and run until `expireTime` (half an hour; both 20 hours at most), for the money and within the limits of the key that asked for it; it ends with that key. `bidiGenerateContentSetup` sets the session up in place of the client; with `fieldMask` only the fields that are named there are taken from it, or left out where it has none. Resuming a session does not count as a use.'
const tokens = ['v1alpha', 'v1beta', 'v1'].map(
  (version): RouteDoc => ({
    ...realtime,
    route: `POST /${version}/auth_tokens`,
    summary: 'Gemini: a token for a browser’s live session',
    ...(version === 'v1alpha' && { description: ofToken }),
    takes: { json: 'LiveTokenRequest' },
    gives: { json: ['LiveToken'] },
    refuses: ['unknown_field'],
  }),
)

const calls: readonly RouteDoc[] = [
  {
    ...realtime,
    route: 'POST /v1/realtime/calls',
    summary: 'Open a call over WebRTC',
    description:
      'The description of the client’s connection, as a form with `sdp` and `session`, or alone as `application/sdp`: then the model is in the client secret, or in the query as `model`. It goes to a channel whose upstream holds calls; the answer is that of the upstream, and `Location` names the call. Sound passes between the two directly. Parley hears at the side what is used, holds money ahead, charges each response as in a session at the WebSocket, and hangs up when money or a budget runs out or the key ends. The row in the log is there when the call is over. Pages of any site may send it with a client secret, and read the answer.',
    takes: { form: 'CallForm' },
    gives: { status: 201, types: ['application/sdp'] },
  },
  {
    ...realtime,
    route: 'POST /v1/realtime/calls/:id/accept',
    summary: 'Accept a call that came in over SIP',
    description:
      'The body is the session, with the name of a model here. Nobody owns a call that came in: only channels with `foreignState: allow` are asked, whose account one tenant alone uses. From then on it is the caller’s, watched and charged as any other.',
    takes: { json: 'CallSession' },
    gives: {},
  },
  {
    ...realtime,
    route: 'POST /v1/realtime/calls/:id/reject',
    summary: 'Reject a call that came in over SIP',
    description: 'With `status_code` where it is to be another than 603.',
    takes: { json: 'CallRejection', optional: true },
    gives: {},
  },
  {
    ...realtime,
    route: 'POST /v1/realtime/calls/:id/refer',
    summary: 'Transfer one’s own call to another number',
    takes: { json: 'CallReferral' },
    gives: {},
  },
  { ...realtime, route: 'POST /v1/realtime/calls/:id/hangup', summary: 'Hang up one’s own call', gives: {} },
]

/** Descriptions of these endpoints. */
export const realtimeRouteDocs: readonly RouteDoc[] = [...sockets, ...calls, ...secrets, ...tokens]

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
        description: 'Instead of a model: the caller’s own call, which the session joins. Its usage is charged with the call.',
      },
      {
        name: 'intent',
        in: 'query',
        description: '`transcription`: a session that only transcribes audio, with the model of the query or of the client secret.',
      },
    ],
    gives: { status: 101 },
  },
  {
    ...realtime,
    route: 'GET /ws/:service',
    summary: 'Gemini: open a live session',
    description:
      'A WebSocket. The service is `google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent`, or the same of `v1` or `v1alpha`. The first frame, `setup`, names a model of a Gemini or Vertex channel. Frames are passed unchanged except for handles of `sessionResumption`, which are sealed: only their own user can use them. A refusal after the upgrade closes the connection with 1007, 1008, 1011 or 1013 and the reason. `BidiGenerateContentConstrained` is the same with a token of `/v1alpha/auth_tokens` as `access_token`.',
    gives: { status: 101 },
  },
  {
    ...realtime,
    route: 'GET /ws/:service/:method',
    summary: 'Gemini: open a live session as clients of Vertex do',
    description:
      'The same at `google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent`, or of `v1beta1`. Usage is reported under Vertex’s names, on any channel.',
    gives: { status: 101 },
  },
]

const secrets: readonly RouteDoc[] = [
  {
    ...realtime,
    route: 'POST /v1/realtime/client_secrets',
    summary: 'A key for a browser’s realtime session',
    description:
      'Valid for 10 minutes, or 10 seconds to 2 hours by `expires_after`, only for the WebSocket, at the expense and within the limits of the key that requested it; it becomes invalid with that key. `session` is applied when the session begins.',
    takes: { json: 'ClientSecretRequest' },
    gives: { json: ['ClientSecret'] },
  },
  {
    ...realtime,
    route: 'POST /v1/realtime/transcription_sessions',
    summary: 'The same for a session that only transcribes, in the beta version',
    description: 'Valid for a minute. In the current protocol use `session.type` `transcription` at `client_secrets`.',
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
  'For a browser: valid for `uses` sessions (default 1; 0: any number) that begin before `newSessionExpireTime` (default: one minute) and run until `expireTime` (default: 30 minutes; both at most 20 hours), at the expense and within the limits of the key that requested it; it becomes invalid with that key. `bidiGenerateContentSetup` configures the session instead of the client; with `fieldMask` only the fields named there are fixed by it, with its values or as absent. Resuming a session does not count as a use.'
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
      'The description of the client’s connection, as a form with `sdp` and `session`, or alone as `application/sdp`: then the model is in the client secret, or in the query as `model`. It goes to a channel whose upstream holds calls; the response is the upstream’s, and `Location` names the call. Audio flows directly between client and upstream. Parley meters usage over a sideband connection, holds money ahead, charges each response as in a WebSocket session, and hangs up when money or a budget runs out or the key becomes invalid. The log row is written when the call is over. Pages of any site may send it with a client secret, and read the answer.',
    takes: { form: 'CallForm' },
    gives: { status: 201, types: ['application/sdp'] },
  },
  {
    ...realtime,
    route: 'POST /v1/realtime/calls/:id/accept',
    summary: 'Accept an incoming SIP call',
    description:
      'The body is the session, with the name of a model here. An incoming call has no owner yet: only channels with `foreignState: allow` are used, whose account has only one tenant. From then on it belongs to the caller, and is monitored and charged like any other.',
    takes: { json: 'CallSession' },
    gives: {},
  },
  {
    ...realtime,
    route: 'POST /v1/realtime/calls/:id/reject',
    summary: 'Reject an incoming SIP call',
    description: '`status_code` replaces the default 603.',
    takes: { json: 'CallRejection', optional: true },
    gives: {},
  },
  {
    ...realtime,
    route: 'POST /v1/realtime/calls/:id/refer',
    summary: 'Transfer a call to another number',
    takes: { json: 'CallReferral' },
    gives: {},
  },
  { ...realtime, route: 'POST /v1/realtime/calls/:id/hangup', summary: 'Hang up one’s own call', gives: {} },
]

/** Descriptions of these endpoints. */
export const realtimeRouteDocs: readonly RouteDoc[] = [...sockets, ...calls, ...secrets, ...tokens]

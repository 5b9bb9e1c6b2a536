/** Bodies of the endpoints of realtime sessions. */
import { Type } from '../typebox.ts'
import { Open, OrNull, Whole } from './fields.ts'

/** POST /v1/realtime/client_secrets */
const ClientSecretRequest = Open({
  expires_after: OrNull(Open({ anchor: Type.String(), seconds: Whole(10, 7200) })),
  session: OrNull(
    Open({ type: Type.String(), model: Type.Optional(Type.String()) }, 'What the session is set to: 6,144 characters at most.'),
  ),
})
const ClientSecret = Open({ value: Type.String(), expires_at: Whole(), session: Open({}) })
/** POST /v1/realtime/sessions */
const RealtimeSession = Open({ model: Type.Optional(Type.String()) })
/** POST /v1/realtime/transcription_sessions */
const TranscriptionSession = Open({ input_audio_transcription: OrNull(Open({ model: Type.Optional(Type.String()) })) })
const RealtimeSessionSecret = Open({ id: Type.String(), client_secret: Open({ value: Type.String(), expires_at: Whole() }) })
/** POST /v1alpha/auth_tokens */
const LiveTokenRequest = Open({
  uses: OrNull(Whole(0)),
  expireTime: OrNull(Type.String()),
  newSessionExpireTime: OrNull(Type.String()),
  bidiGenerateContentSetup: OrNull(Open({ model: Type.Optional(Type.String()) }, 'What the session is set to: 6,144 characters at most.')),
  fieldMask: OrNull(Type.String()),
})
const LiveToken = Open({ name: Type.String({ description: '`auth_tokens/...`: the key of the session, in full.' }) })

/** POST /v1/realtime/calls */
const CallForm = Open({
  sdp: Type.String({ description: 'The description of the client’s connection: 256 KiB at most.' }),
  session: Type.Optional(Type.String({ description: 'What the session is set to, with its model, as JSON: 256 KiB at most.' })),
})
/** POST /v1/realtime/calls/{id}/accept */
const CallSession = Open({ type: Type.String(), model: Type.String() })
const CallRejection = Open({ status_code: Type.Optional(Whole(300, 699)) })
const CallReferral = Open({ target_uri: Type.String() })

/** These, by their names in the document. */
export const realtimeSchemas = {
  ClientSecretRequest,
  ClientSecret,
  RealtimeSession,
  TranscriptionSession,
  RealtimeSessionSecret,
  LiveTokenRequest,
  LiveToken,
  CallForm,
  CallSession,
  CallRejection,
  CallReferral,
}

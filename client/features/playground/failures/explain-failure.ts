/**
 * Explains a failure to the user: what happened, and what can be done now. Pure: texts are message keys, actions are
 * names. An unknown code is explained by its status.
 */
import type { Failure } from '#client/features/playground/conversation/conversation.ts'
import { fieldOf, type SliderName, sliderNames } from '#client/features/playground/conversation/settings.ts'
import type { MessageKey } from '#client/features/playground/messages/messages.ts'

/** What the user can do after a failure. */
export type NextStep = 'signIn' | 'retry' | 'otherModel' | 'continue' | 'parameters' | 'newChat' | 'lowerMax' | 'turnOff' | 'trim'

/** The explanation of a failure. */
export interface Explanation {
  title: MessageKey
  detail: MessageKey | null
  /** Best first; at most three are shown. */
  steps: NextStep[]
  /** Parameters named by the refusal, for `turnOff`. */
  named: SliderName[]
  /** Seconds before `retry` makes sense. */
  wait: number | null
  /** Whether the server's own message is shown too. */
  quote: boolean
}

const plain = (title: MessageKey, detail: MessageKey | null, steps: NextStep[], quote = false): Explanation => ({
  title,
  detail,
  steps,
  named: [],
  wait: null,
  quote,
})

const byCode: Record<string, () => Explanation> = {
  not_signed_in: () => plain('failSession', 'failSessionDetail', ['signIn', 'retry']),
  insufficient_quota: () => plain('failBalance', 'failBalanceDetail', ['lowerMax', 'otherModel', 'retry'], true),
  model_not_found: () => plain('failModel', 'failModelDetail', ['otherModel']),
  group_not_allowed: () => plain('failGroup', 'failGroupDetail', ['otherModel']),
  team_not_allowed: () => plain('failTeam', 'failTeamDetail', ['retry']),
  not_permitted: () => plain('failPermission', 'failPermissionDetail', ['otherModel']),
  no_channel_available: () => plain('failChannel', 'failChannelDetail', ['retry', 'otherModel']),
  upstream_auth_failed: () => plain('failUpstreamKey', 'failUpstreamKeyDetail', ['otherModel', 'retry']),
  upstream_timeout: () => plain('failTimeout', 'failTimeoutDetail', ['retry', 'otherModel']),
  upstream_error: () => plain('failUpstream', 'failUpstreamDetail', ['retry', 'otherModel']),
  books_unavailable: () => plain('failBusy', 'failBusyDetail', ['retry']),
  journal_full: () => plain('failBusy', 'failBusyDetail', ['retry']),
  overloaded: () => plain('failBusy', 'failBusyDetail', ['retry']),
  context_length_exceeded: () => plain('failContext', 'failContextDetail', ['trim', 'newChat', 'otherModel']),
  request_too_large: () => plain('failTooLarge', 'failTooLargeDetail', ['trim', 'newChat']),
  content_filter: () => plain('failFilter', 'failFilterDetail', ['retry', 'otherModel']),
  unsupported_in_playground: () => plain('failPlayground', 'failPlaygroundDetail', ['parameters'], true),
  bad_settings: () => plain('failSettings', 'failSettingsDetail', ['parameters']),
  offline: () => plain('failOffline', 'failOfflineDetail', ['retry']),
  connection_lost: () => plain('failOffline', 'failConnectionDetail', ['retry']),
  stream_cut: () => plain('failCut', 'failCutDetail', ['continue', 'retry', 'otherModel']),
  client_error: () => plain('failClient', 'failClientDetail', ['retry']),
}

/**
 * Explains `failure`; `hasText` says that part of the reply arrived and is kept, `isOn` whether a parameter is sent now.
 */
export function explainFailure(failure: Failure, hasText: boolean, isOn: (name: SliderName) => boolean = () => true): Explanation {
  if (hasText && failure.status === 0) return plain('failCut', 'failCutDetail', ['continue', 'retry', 'otherModel'])
  if (failure.status === 429 && failure.code !== 'insufficient_quota') {
    const upstream = /upstream/i.test(failure.message)
    const meaning = upstream ? plain('failRateUpstream', 'failRateUpstreamDetail', ['retry', 'otherModel']) : ownLimit(failure)
    return { ...meaning, wait: failure.retryAfter ?? null }
  }
  const known = byCode[failure.code]?.()
  if (known) return { ...known, wait: failure.retryAfter ?? null }
  if (/context|too long|maximum.*tokens/i.test(failure.message))
    return plain('failContext', 'failContextDetail', ['trim', 'newChat', 'otherModel'], true)
  if (failure.status >= 500) return plain('failUpstream', 'failUpstreamDetail', ['retry', 'otherModel'])
  return refused(failure, isOn)
}

/** A limit of the key, the user or the group: the server's message says which. */
const ownLimit = (failure: Failure): Explanation =>
  plain('failRate', failure.message === '' ? 'failRateDetail' : null, ['retry', 'otherModel'], true)

function refused(failure: Failure, isOn: (name: SliderName) => boolean): Explanation {
  const named = namedParameters(failure)
  const on = named.filter(isOn)
  if (on.length > 0) return { ...plain('failParameter', null, ['turnOff', 'parameters'], true), named: on }
  // The parameter was not sent by this page.
  if (named.length > 0) return { ...plain('failParameter', 'failParameterOff', ['otherModel', 'retry'], true), named }
  return plain('failRefused', null, ['parameters', 'retry', 'otherModel'], true)
}

/** Parameters that a refusal names, in its `param` or in its message. */
export function namedParameters(failure: Pick<Failure, 'param' | 'message'>): SliderName[] {
  return sliderNames.filter((name) => {
    const field = fieldOf[name]
    return failure.param === field || new RegExp(`\\b${field}\\b`).test(failure.message)
  })
}

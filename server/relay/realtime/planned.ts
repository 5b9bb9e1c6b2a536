/** The candidates of a session, and the error for a model that is only available in the other protocol. */
import type { RealtimeStyle } from '#canonical/operation/realtime'
import type { RelayParts } from '#relay/contract/ask'
import type { Candidate } from '#routing/order'
import { type PlanRequest, plan } from '#routing/plan'
import { GatewayError } from '#shared/errors'

/** What would be needed, by the client's protocol. */
const needs: Readonly<Record<RealtimeStyle, string>> = {
  openai:
    'This model is only available in Gemini’s live sessions. Nothing is converted between the two: audio would have to be resampled, and turns, tools and transcripts expressed in other events. Connect at /ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent, or name a model of a channel with Realtime.',
  gemini:
    'This model is only available in sessions of OpenAI’s Realtime. Nothing is converted between the two. Connect at /v1/realtime, or name a model of a Gemini channel.',
}

/** All candidates, best first. Throws as `plan` does, and `unsupported_here` for a model that is only available in the other protocol. */
export function plannedFor(
  { channels, random }: Pick<RelayParts, 'channels' | 'random'>,
  style: RealtimeStyle,
  asked: Omit<PlanRequest, 'dialect' | 'operation'>,
): readonly Candidate[] {
  const inWords = (of: RealtimeStyle) =>
    plan(channels, { ...asked, operation: 'realtime', dialect: of === 'gemini' ? 'gemini' : 'chat' }, random.fraction)
  try {
    return inWords(style)
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === 'unsupported_endpoint' && isHeld(inWords, style)) {
      throw new GatewayError('unsupported_here', needs[style], { param: style === 'gemini' ? 'setup.model' : 'model' })
    }
    throw thrown
  }
}

function isHeld(inWords: (of: RealtimeStyle) => unknown, style: RealtimeStyle): boolean {
  try {
    inWords(style === 'gemini' ? 'openai' : 'gemini')
    return true
  } catch {
    return false
  }
}

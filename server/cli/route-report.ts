/** Prints how a request would be routed. */
import type { RouteAnswer, RouteCandidate } from '#shared/console/inspection/route'

export type { RouteAnswer }

const withKey = ({ channel, key }: { channel: string; key: string | null }) => (key === null ? channel : `${channel} (${key})`)

function candidateLines(candidate: RouteCandidate, index: number): string[] {
  const how = candidate.native ? `${candidate.dialect}, unchanged` : `${candidate.dialect}, converted`
  const losses = candidate.losses.map(({ field, what, reason }) => `       ${field} ${what}: ${reason}`)
  const refused = candidate.refused ? [`       skipped: ${candidate.refused.message}`] : []
  const drawn = candidate.share === null || candidate.share === 1 ? '' : `, ${Math.round(candidate.share * 100)} % of draws`
  return [`  ${index + 1}. ${withKey(candidate)}: ${candidate.upstreamModel}, ${how}${drawn}`, ...losses, ...refused]
}

const modes = {
  weight: 'drawn by weight',
  round_robin: 'round robin',
  least_open: 'fewest open requests first',
  first_token: 'lowest time to first content first',
  cheapest: 'lowest declared costs first',
}

const section = (title: string, lines: readonly string[]) => (lines.length > 0 ? ['', title, ...lines] : [])

/** The answer of `POST /api/route` as text for a terminal. */
export function routeReport({ model, group, balancing, candidates, leftOut, fallbacks, largestCost, error }: RouteAnswer): string {
  const instead = Object.entries(fallbacks).filter(([, models]) => models.length > 0)
  const causes: Record<string, string> = { error: 'an error', context: 'a context that is too long', filter: 'a content filter' }
  return [
    `${model} in group ${group}`,
    ...(error ? [`Refused now: ${error.message}`] : []),
    ...section('Tried in this order:', candidates.flatMap(candidateLines)),
    ...(balancing
      ? section(
          `Channels of equal rank: ${modes[balancing.mode]}`,
          balancing.channels.map(({ channel, figure }) => `  ${channel}: ${figure ?? '-'}`),
        )
      : []),
    ...section(
      'Left out:',
      leftOut.map((one) => `  ${withKey(one)}: ${one.reason}`),
    ),
    ...section(
      'Fallback models:',
      instead.map(([cause, models]) => `  after ${causes[cause]}: ${models.join(', ')}`),
    ),
    ...(largestCost === null ? [] : ['', `At most ${largestCost} USD.`]),
  ].join('\n')
}

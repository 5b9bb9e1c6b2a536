/** Responses about single channels and routes: test results, the models an upstream lists, the route of a request. */
import type { ProbeAnswer as ProbeRow, UpstreamModels } from '../console/inspection/probe.ts'
import type { RouteAnswer as RouteRow } from '../console/inspection/route.ts'
import { balancingModes } from '../console/settings.ts'
import { Decimal, OneOf, Type } from '../typebox.ts'
import { Loss, Names, Nullable, says } from './console.ts'
import { Open } from './fields.ts'

const probe = {
  ok: Type.Boolean(),
  status: Nullable(Type.Integer()),
  ms: Type.Integer(),
  error: Nullable(Open({ code: Type.String(), message: Type.String() })),
  detail: Type.Optional(
    Open({
      firstTokenMs: Nullable(Type.Integer()),
      text: Type.String({ description: 'The beginning of what the model said.' }),
      tokens: Nullable(Open({ in: Type.Number(), out: Type.Number() })),
      cost: Nullable(Type.String({ description: 'USD that the upstream charges for it, by the `costs` of the channel.' })),
      raw: Type.String({ description: 'The beginning of the answer as it came, without what only the channel knows.' }),
    }),
  ),
}
/** POST /api/channels/:id/test */
export const ProbeAnswer = says<ProbeRow>().of(
  Open({ ...probe, model: Type.String(), keys: Type.Array(Open({ ...probe, key: Nullable(Type.String()) })) }),
)
/** GET /api/channels/:id/models */
export const UpstreamModelsAnswer = says<UpstreamModels>().of(
  Open({ data: Type.Array(Open({ id: Type.String(), offered: Type.Boolean() })) }),
)

/** POST /api/route */
export const RouteAnswer = says<RouteRow>().of(
  Open({
    group: Type.String(),
    model: Type.String(),
    balancing: Type.Optional(
      Open({ mode: OneOf(balancingModes), channels: Type.Array(Open({ channel: Type.String(), figure: Nullable(Type.String()) })) }),
    ),
    candidates: Type.Array(
      Open({
        channel: Type.String(),
        key: Nullable(Type.String()),
        upstreamModel: Type.String(),
        priority: Type.Integer(),
        rank: Type.Integer({ description: '0: asked first. Others wait until all of the ranks before have failed.' }),
        share: Nullable(
          Type.Number({
            description: 'Of the requests that come to this rank, how many come to it first. Null: it rests, or is not drawn.',
          }),
        ),
        dialect: Type.String(),
        native: Type.Boolean(),
        losses: Type.Array(Loss),
        refused: Nullable(Open({ code: Type.String(), message: Type.String(), param: Nullable(Type.String()) })),
      }),
    ),
    leftOut: Type.Array(Open({ channel: Type.String(), key: Nullable(Type.String()), reason: Type.String() })),
    fallbacks: Open({ error: Names(), context: Names(), filter: Names() }),
    largestCost: Nullable(Decimal()),
    error: Nullable(Open({ code: Type.String(), message: Type.String() })),
  }),
)

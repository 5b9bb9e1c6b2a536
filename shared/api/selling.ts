/** Responses about reselling: plans, codes, credits. */
import { type CodeRow, type CreditRow, type PlanRow, type PlanState, PlanWindow, type Redeemed } from '../console/selling.ts'
import { Decimal, OneOf, SignedDecimal, Type } from '../typebox.ts'
import { Instant, Nullable, says } from './console.ts'
import { Open } from './fields.ts'

const Named = () => Open({ id: Type.String(), name: Type.String() })

/** A plan. */
export const PlanAnswer = says<PlanRow>().of(
  Open({
    id: Type.String(),
    name: Type.String(),
    group: Nullable(Type.String({ description: 'Whose models and price ratio its holders have; null: their own.' })),
    windows: Type.Array(PlanWindow),
    enabled: Type.Boolean({ description: 'Whether it can still be given.' }),
    managed: OneOf(['file', 'console']),
    createdAt: Instant(),
    holders: Type.Integer({ description: 'How many users and teams have it now.' }),
  }),
)

/** The plan of a user or team. */
export const PlanStateAnswer = says<PlanState>().of(
  Open({
    plan: Nullable(
      Open({
        id: Type.String(),
        name: Type.String(),
        group: Nullable(Type.String()),
        from: Instant(),
        until: Instant(),
        windows: Type.Array(
          Open({
            every: Type.String({ description: 'The length of the window: `5h`, `30d`, `1w`, `1mo`.' }),
            amount: Decimal(),
            left: SignedDecimal(),
            renewsAt: Nullable(Type.String({ format: 'date-time', description: 'RFC 3339. Null where the plan ends before.' })),
          }),
        ),
      }),
    ),
  }),
)

const code = {
  id: Type.String(),
  batch: Type.String({ description: 'The codes that were made together.' }),
  hint: Type.String(),
  note: Type.String(),
  value: Decimal(),
  plan: Nullable(Open({ id: Type.String(), name: Type.String(), days: Type.Integer() })),
  group: Nullable(Type.String()),
  user: Nullable(Named()),
  state: OneOf(['open', 'redeemed', 'revoked', 'expired']),
  createdAt: Instant(),
  expiresAt: Nullable(Instant()),
  redeemedAt: Nullable(Instant()),
  redeemedBy: Nullable(Named()),
  wallet: Nullable(Named()),
}

/** A row of GET /api/codes, without the code itself. */
export const CodeAnswer = says<CodeRow>().of(Open(code))

/** POST /api/codes */
export const CodesAnswer = Open({
  batch: Type.String({ description: 'The codes that were made together.' }),
  codes: Type.Array(Open({ ...code, code: Type.String({ description: 'The code itself, which is never shown again.' }) })),
})

/** POST /api/codes/redeem */
export const RedeemedAnswer = says<Redeemed>().of(
  Open({ value: Decimal(), plan: Nullable(Open({ name: Type.String(), until: Instant() })) }),
)

/** A row of GET /api/credits. */
export const CreditAnswer = says<CreditRow>().of(
  Open({
    reference: Type.String(),
    of: Nullable(Type.String({ description: 'The reference of the credit that this refunds.' })),
    wallet: Open({ id: Type.String(), name: Nullable(Type.String()), of: OneOf(['user', 'team']) }),
    amount: Type.String({ description: 'USD; negative for a refund.' }),
    refunded: Type.Optional(Type.String({ description: 'In the list: USD refunded of it so far.' })),
    reason: Type.String(),
    at: Instant(),
  }),
)

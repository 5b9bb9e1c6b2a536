/** The API reference about reselling. */
import type { Parameter, RouteDoc } from '../route-doc.ts'
import { doc, list } from './console-route-doc.ts'

const query = (name: string, description: string): Parameter => ({ name, in: 'query', description })
const begins = 'It begins now; the same plan, if already held, is extended to the new end, any other is replaced.'
const keeps = 'Current holders keep it as it was given.'

/** `/api/plans`, `/api/plan`, `/api/codes`, `/api/credits`. */
export const sellingRouteDocs: readonly RouteDoc[] = [
  doc('GET /api/plan', 'session', 'The plan of the caller', {
    gives: 'PlanState',
    parameters: [query('team', 'Id of a team of the caller: its plan.'), query('user', 'Id of a user. Administrators only.')],
    description: 'What is left of each window of the plan in force, and when the next one begins.',
  }),
  list('GET /api/plans', 'admin', 'Plans', 'Plans'),
  doc('POST /api/plans', 'admin', 'Create a plan', { takes: 'NewPlan', gives: 'Plan', status: 201 }),
  doc('PATCH /api/plans/:id', 'admin', 'Change a plan', { takes: 'PlanPatch', gives: 'Plan', description: keeps }),
  doc('DELETE /api/plans/:id', 'admin', 'Delete a plan', { description: keeps }),
  doc('PUT /api/users/:id/plan', 'admin', 'Give a user a plan', { takes: 'PlanGift', gives: 'PlanState', description: begins }),
  doc('DELETE /api/users/:id/plan', 'admin', 'Remove the plan of a user'),
  doc('PUT /api/teams/:id/plan', 'admin', 'Give a team a plan', { takes: 'PlanGift', gives: 'PlanState', description: begins }),
  doc('DELETE /api/teams/:id/plan', 'admin', 'Remove the plan of a team'),
  list('GET /api/codes', 'admin', 'Codes, newest first', 'Codes', [
    query('batch', 'Only the codes of this batch.'),
    query('state', '`open`, `redeemed`, `revoked` or `expired`.'),
    query('q', 'Part of the note, the hint, the batch or the id, or of the name of its addressee or redeemer.'),
  ]),
  doc('POST /api/codes', 'admin', 'Create a batch of codes', {
    takes: 'NewCodes',
    gives: 'CodeBatch',
    status: 201,
    description: 'The answer has each code itself in `code`, once.',
  }),
  doc('DELETE /api/codes/:id', 'admin', 'Revoke a code, or the unredeemed codes of a batch'),
  doc('POST /api/codes/redeem', 'session', 'Redeem a code', {
    takes: 'Redemption',
    gives: 'Redeemed',
    status: 201,
    description: 'Credits the wallet of the caller, or of a team that the caller manages, and gives the plan of the code. Exactly once.',
  }),
  list('GET /api/credits', 'admin', 'Credits and refunds of payment systems, newest first', 'Credits', [
    query('reference', 'That credit and its refunds.'),
    query('wallet', 'Id or name of a user or team.'),
    query('kind', '`credit` or `refund`.'),
    query('q', 'Part of the reference, the reason or the name of the wallet.'),
  ]),
  doc('POST /api/credits', 'admin', 'Credit a payment', {
    takes: 'NewCredit',
    gives: 'CreditRow',
    status: 201,
    description: 'Posted once under its `reference`: the same fields again get the same answer, others `idempotency_conflict`.',
  }),
  doc('POST /api/credits/refund', 'admin', 'Refund a credit', {
    takes: 'NewRefund',
    gives: 'CreditRow',
    status: 201,
    description:
      'At most what is left of the credit, and at most what is left in the wallet: `balance_too_low` otherwise, or with `partial: true` what there is. Posted once under its own `reference`, as credits are.',
  }),
]

/** Descriptions of the endpoints for kept requests: reading, deleting, and replaying them. */
import type { RouteDoc } from '../route-doc.ts'
import { doc, inQuery, list } from './console-route-doc.ts'

/** Kept requests and their replays. */
export const keptRequestDocs: readonly RouteDoc[] = [
  doc('GET /api/bodies/:requestId', 'session', 'A kept request', {
    gives: 'KeptBody',
    parameters: inQuery({ as: '`chat`: also the client’s request as a chat request, in `chat`, if it is a conversation.' }),
    description:
      'The client’s request and its answer, and for administrators every request to an upstream and its answer. For the owner of the key, and for administrators unless the settings restrict it to owners. Each read is recorded in the audit trail. Management keys need the scope `bodies`.',
  }),
  {
    ...doc('GET /api/bodies/:requestId/:part', 'session', 'One body of a kept request', {
      description: 'The original bytes; `part` is its index in `parts`, from 0.',
    }),
    gives: { types: ['application/octet-stream'] },
  },
  doc('DELETE /api/bodies/:requestId', 'session', 'Delete the bodies of a request'),
  doc('DELETE /api/bodies', 'session', 'Delete the bodies of a key, a user or all users', {
    gives: 'DeletedBodies',
    parameters: inQuery({
      key: 'Id of a key.',
      user: 'Id of a user. Only administrators may name others.',
      all: '`true`: of all users. Administrators only.',
    }),
  }),
  list('GET /api/replays', 'session', 'Replays', 'Replays'),
  doc('POST /api/replays/estimate', 'session', 'What a replay would cost', {
    takes: 'ReplayQuestion',
    gives: 'ReplayEstimate',
    description:
      'Sends nothing. The originals’ usage at the prices of the targets; and which requests cannot be replayed, because they are not kept or not the caller’s.',
  }),
  doc('POST /api/replays', 'session', 'Replay kept requests', {
    takes: 'NewReplay',
    gives: 'Replay',
    status: 201,
    description:
      'Sends up to 50 kept requests again to up to four targets, in the background, as requests of the caller: with the caller’s groups and limits, paid by the caller, or by a `team` that the caller may spend from. Whoever may read the bodies of a request may replay it. A target may name a `model`, a `channel` (administrators) or `sameChannel`, and fields of the body to `set` and `remove`; an empty one sends the same bytes. Nothing more is begun once `ceiling` is reached. A user may have three running jobs.',
  }),
  doc('GET /api/replays/:id', 'session', 'A replay with its results', { gives: 'ReplayDetail' }),
  doc('GET /api/replays/:id/items/:n', 'session', 'Both answers of one item', {
    gives: 'ReplayComparison',
    description:
      'Text, tool calls and finish of the original and the replay, and how they differ. Each read is recorded in the audit trail.',
  }),
  {
    ...doc('GET /api/replays/:id/export', 'session', 'The results of a replay as a file', {
      parameters: inQuery({
        format: '`jsonl` (the default) or `csv`.',
        answers: '`true`: both answers with each line, as JSONL. Each read is recorded in the audit trail.',
      }),
    }),
    gives: { types: ['application/jsonl', 'text/csv'] },
  },
  doc('POST /api/replays/:id/stop', 'session', 'Stop a replay', {
    gives: 'Replay',
    status: 200,
    description: 'Running items are finished; the rest are skipped.',
  }),
  doc('DELETE /api/replays/:id', 'session', 'Delete a replay', {
    description: 'Only one that is over, with the bodies of what it sent. Usage rows and charges stay.',
  }),
]

/** Descriptions of the endpoints for stored requests: reading, deleting, and replaying them. */
import type { RouteDoc } from '../route-doc.ts'
import { doc, inQuery, list } from './console-route-doc.ts'

/** Stored requests and their replays. */
export const keptRequestDocs: readonly RouteDoc[] = [
  doc('GET /api/bodies/:requestId', 'session', 'A kept request', {
    gives: 'KeptBody',
    parameters: inQuery({ as: '`chat`: what the client asked as a chat request, too, in `chat`, where it is a conversation.' }),
    description:
      'What the client asked and was answered, and for administrators every request to an upstream and its answer. For the owner of the key, and for administrators unless the settings leave it to owners. Each reading is in the audit trail. Of management keys only those with the scope `bodies` open it.',
  }),
  {
    ...doc('GET /api/bodies/:requestId/:part', 'session', 'One body of a kept request', {
      description: 'The bytes as they were; `part` is its place in `parts`, from 0.',
    }),
    gives: { types: ['application/octet-stream'] },
  },
  doc('DELETE /api/bodies/:requestId', 'session', 'Delete the bodies of a request'),
  doc('DELETE /api/bodies', 'session', 'Delete the bodies of a key, a user or everybody', {
    gives: 'DeletedBodies',
    parameters: inQuery({
      key: 'Id of a key.',
      user: 'Id of a user. Only administrators may name others.',
      all: '`true`: of everybody. Administrators only.',
    }),
  }),
  list('GET /api/replays', 'session', 'Replays', 'Replays'),
  doc('POST /api/replays/estimate', 'session', 'What a replay would cost', {
    takes: 'ReplayQuestion',
    gives: 'ReplayEstimate',
    description:
      'Sends nothing. What the originals used, at the prices of the targets; and which requests cannot be replayed, since they are not kept or not the caller’s.',
  }),
  doc('POST /api/replays', 'session', 'Replay kept requests', {
    takes: 'NewReplay',
    gives: 'Replay',
    status: 201,
    description:
      'Asks up to 50 kept requests again on up to four targets, in the background, as requests of the caller: by its groups and limits, for its money, or for that of a `team` in which it may spend. Whoever may read the bodies of a request may replay it. A target may name a `model`, a `channel` (administrators) or `sameChannel`, and fields of the body to `set` and `remove`; an empty one sends the same bytes. Nothing more is begun once `ceiling` is reached. Three jobs of a user may go on at once.',
  }),
  doc('GET /api/replays/:id', 'session', 'A replay with its results', { gives: 'ReplayDetail' }),
  doc('GET /api/replays/:id/items/:n', 'session', 'Both answers of one item', {
    gives: 'ReplayComparison',
    description: 'Text, calls of tools and finish of the original and the replay, and how they differ. Each reading is in the audit trail.',
  }),
  {
    ...doc('GET /api/replays/:id/export', 'session', 'The results of a replay as a file', {
      parameters: inQuery({
        format: '`jsonl` (the default) or `csv`.',
        answers: '`true`: both answers with each line, as JSONL. Each reading is in the audit trail.',
      }),
    }),
    gives: { types: ['application/jsonl', 'text/csv'] },
  },
  doc('POST /api/replays/:id/stop', 'session', 'Stop a replay', {
    gives: 'Replay',
    status: 200,
    description: 'What was begun ends; the rest is skipped.',
  }),
  doc('DELETE /api/replays/:id', 'session', 'Delete a replay', {
    description: 'One that is over, with the bodies of what it sent. The usage rows and what was charged stay.',
  }),
]

/** Responses about kept bodies, as schemas. */
import { borders, type KeptBody } from '../console/body.ts'
import { OneOf, Type } from '../typebox.ts'
import { Instant, PreviewAnswer, says } from './console.ts'
import { Described, Open } from './fields.ts'

/** GET /api/bodies/:requestId */
export const KeptBodyAnswer = says<KeptBody>().of(
  Open({
    requestId: Type.String(),
    at: Instant(),
    redacted: Type.Boolean({ description: 'Whether something was blanked before it was written.' }),
    whole: Type.Boolean({ description: 'Whether the borders to upstreams are here; only administrators see them.' }),
    parts: Type.Array(
      Open({
        border: OneOf([...borders]),
        call: Type.Optional(Type.Integer({ description: 'Which call of an upstream, from 0.' })),
        to: Type.Optional(Open({ channel: Type.String(), model: Type.String(), dialect: Type.String() })),
        method: Type.Optional(Type.String()),
        address: Type.Optional(Type.String()),
        status: Type.Optional(Type.Integer()),
        headers: Type.Array(Type.Unsafe<readonly [string, string]>(Type.Array(Type.String())), {
          description: 'Names and values; values that may be credentials are `***`.',
        }),
        atMs: Type.Number({ description: 'Milliseconds from the arrival of the request.' }),
        pieces: Type.Optional(
          Type.Array(Type.Number(), { description: 'For each piece where it ends, in bytes, and when it came, in milliseconds.' }),
        ),
        frames: Type.Optional(
          Type.Boolean({
            description:
              'One direction of a session: every piece is a frame followed by a line feed, or empty where the frame was not stored.',
          }),
        ),
        bytes: Type.Integer(),
        leftBytes: Type.Optional(Type.Integer({ description: 'Bytes of frames that are not kept, since there was no room for them.' })),
        leftOut: Type.Optional(Type.Boolean({ description: 'The body was too large to be kept.' })),
        redacted: Type.Optional(Type.Boolean()),
        broken: Type.Optional(Type.String({ description: 'The code of the error that ended it early.' })),
        text: Type.Optional(Type.String({ description: 'The body, where it is text of up to a megabyte.' })),
      }),
    ),
    chat: Type.Optional(Described(PreviewAnswer, 'With `as=chat`, of a conversation: what the client asked, as a chat request.')),
  }),
)

/** DELETE /api/bodies */
export const DeletedBodies = Open({ deleted: Type.Integer() })

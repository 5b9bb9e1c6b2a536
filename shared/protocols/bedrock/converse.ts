/**
 * Requests of Bedrock's Converse and ConverseStream, as Parley reads them. Read:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
import { type Static, Type } from '../../typebox.ts'
import { Figure, Flag, Free, Open, OrNull, Text } from '../openai/tolerant.ts'

const Source = Open({
  bytes: Text('Base64'),
  s3Location: OrNull(Open({ uri: Type.String(), bucketOwner: Text() })),
  text: Text(),
  content: Free(),
})
const CachePoint = Open({ type: Text(), ttl: Text('`5m` or `1h`') })
const GuardContent = Open({ text: OrNull(Open({ text: Type.String(), qualifiers: Free() })), image: Free() })

/** One block of a turn; exactly one of its fields is present. */
export const ConverseBlock = Open({
  text: Text(),
  image: OrNull(Open({ format: Type.String(), source: Source })),
  document: OrNull(Open({ format: Text(), name: Text(), source: Source, context: Text(), citations: OrNull(Open({ enabled: Flag() })) })),
  toolUse: OrNull(Open({ toolUseId: Type.String(), name: Type.String(), input: Free(), type: Text() })),
  toolResult: OrNull(Open({ toolUseId: Type.String(), content: Free(), status: Text('`success` or `error`'), type: Text() })),
  reasoningContent: OrNull(Open({ reasoningText: OrNull(Open({ text: Type.String(), signature: Text() })), redactedContent: Text() })),
  citationsContent: OrNull(Open({ content: Free(), citations: Free() })),
  searchResult: OrNull(Open({ source: Text(), title: Text(), content: Free(), citations: Free() })),
  guardContent: OrNull(GuardContent),
  cachePoint: OrNull(CachePoint),
  json: Free(),
  video: Free('Refused'),
  audio: Free('Refused'),
})
export type ConverseBlock = Static<typeof ConverseBlock>

/** A tool, or a breakpoint after one. */
export const ConverseTool = Open({
  toolSpec: OrNull(Open({ name: Type.String(), description: Text(), inputSchema: Open({ json: Free() }), strict: Flag() })),
  cachePoint: OrNull(CachePoint),
  systemTool: OrNull(Open({ name: Type.String() })),
})
export type ConverseTool = Static<typeof ConverseTool>

/** The body of `/model/{model}/converse` and `/model/{model}/converse-stream`. */
export const ConverseRequest = Open({
  messages: Type.Array(Open({ role: Type.String({ description: '`user` or `assistant`' }), content: Type.Array(ConverseBlock) })),
  system: OrNull(Type.Array(ConverseBlock)),
  inferenceConfig: OrNull(Open({ maxTokens: Figure(), temperature: Figure(), topP: Figure(), stopSequences: Free() })),
  toolConfig: OrNull(
    Open({
      tools: Type.Array(ConverseTool),
      toolChoice: OrNull(Open({ auto: Free(), any: Free(), tool: OrNull(Open({ name: Type.String() })) })),
    }),
  ),
  additionalModelRequestFields: Free('`thinking`, `top_k`, `reasoning_effort` and the like'),
  outputConfig: OrNull(
    Open({
      textFormat: OrNull(
        Open({
          type: Text(),
          structure: OrNull(Open({ jsonSchema: OrNull(Open({ schema: Text(), name: Text(), description: Text() })) })),
        }),
      ),
    }),
  ),
  guardrailConfig: Free(),
  requestMetadata: Free(),
  performanceConfig: Free(),
  serviceTier: Free(),
  additionalModelResponseFieldPaths: Free(),
  promptVariables: Free('Refused: prompts lie in the account of one upstream'),
})
export type ConverseRequest = Static<typeof ConverseRequest>

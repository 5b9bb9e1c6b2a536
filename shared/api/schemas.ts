/** Every schema that the API reference names, by its name there. `of('ChatRequest')` refers to one; a misspelt name does not compile. */

import { BatchRow } from '../batch.ts'
import { AlertHookPatch, NewAlertHook } from '../console/alert.ts'
import { InvoiceQuestion } from '../console/books.ts'
import { ChannelDraft, ChannelKeyPatch, ChannelPatch, HealthReset, NewChannel } from '../console/channel.ts'
import { GroupPatch, NewGroup } from '../console/group.ts'
import { ProbeQuestion } from '../console/inspection/probe.ts'
import { RouteQuestion } from '../console/inspection/route.ts'
import { KeyPatch, NewKey, Rotation } from '../console/key.ts'
import { NewManagementKey } from '../console/management-key.ts'
import { NewReplay, ReplayQuestion } from '../console/replay.ts'
import { NewCodes, NewCredit, NewPlan, NewRefund, PlanGift, PlanPatch, Redemption } from '../console/selling.ts'
import * as factors from '../console/session.ts'
import { PasswordChange, ProviderSignIn } from '../console/session.ts'
import { SettingsPatch } from '../console/settings.ts'
import { MemberPatch, NewMember, NewTeam, TeamPatch } from '../console/team.ts'
import {
  Credit,
  InvitationToken,
  Join,
  KeptConversation,
  NewInvitation,
  NewShare,
  NewUser,
  Setup,
  SignIn,
  UserPatch,
} from '../console/user.ts'
import { CountTokensRequest, MessagesRequest } from '../protocols/anthropic/messages.ts'
import { ConverseRequest } from '../protocols/bedrock/converse.ts'
import { GeminiBatchEmbedRequest, GeminiEmbedRequest } from '../protocols/gemini/embeddings.ts'
import { GenerateContentRequest } from '../protocols/gemini/generate-content.ts'
import { InteractionRequest } from '../protocols/gemini/interactions.ts'
import {
  OllamaChatRequest,
  OllamaEmbeddingsRequest,
  OllamaEmbedRequest,
  OllamaGenerateRequest,
  OllamaShowRequest,
} from '../protocols/ollama/ollama.ts'
import { ChatRequest } from '../protocols/openai/chat.ts'
import { CompletionsRequest } from '../protocols/openai/completions.ts'
import { ResponsesItem, ResponsesRequest } from '../protocols/openai/responses.ts'
import type { TSchema } from '../typebox.ts'
import * as batches from './batches.ts'
import * as bodies from './bodies.ts'
import { BooksAnswer } from './books.ts'
import * as rows from './console.ts'
import * as errors from './errors.ts'
import * as files from './files.ts'
import * as generation from './generation.ts'
import * as inspection from './inspection.ts'
import * as models from './models.ts'
import * as audio from './operations/audio.ts'
import * as embeddings from './operations/embeddings.ts'
import * as images from './operations/images.ts'
import * as moderations from './operations/moderations.ts'
import * as rerank from './operations/rerank.ts'
import * as search from './operations/search.ts'
import * as videos from './operations/videos.ts'
import * as overview from './overview.ts'
import * as people from './people.ts'
import { priceSchemas } from './prices.ts'
import { realtimeSchemas } from './realtime.ts'
import * as replays from './replays.ts'
import * as selling from './selling.ts'
import * as settings from './settings.ts'
import * as signIn from './sign-in.ts'
import * as usage from './usage.ts'

/** Every named schema. */
export const schemas = {
  ChatRequest,
  ChatCompletion: generation.ChatCompletion,
  CompletionsRequest,
  TextCompletion: generation.TextCompletion,
  ResponsesRequest,
  Response: generation.ResponseObject,
  ResponseTokens: generation.ResponseTokens,
  ResponseItems: generation.ResponseItems,
  DeletedResponse: generation.DeletedResponse,
  ConversationRequest: generation.ConversationRequest,
  Conversation: generation.ConversationObject,
  ConversationItem: ResponsesItem,
  DeletedConversation: generation.DeletedConversation,
  CompactionRequest: generation.CompactionRequest,
  Compaction: generation.CompactionObject,
  BatchRequest: batches.BatchRequest,
  Batch: batches.BatchObject,
  Batches: batches.BatchList,
  MessageBatchRequest: batches.MessageBatchRequest,
  MessageBatch: batches.MessageBatchObject,
  MessageBatches: batches.MessageBatchList,
  DeletedMessageBatch: batches.DeletedMessageBatch,
  GeminiBatchRequest: batches.GeminiBatchRequest,
  GeminiBatch: batches.GeminiBatchObject,
  GeminiBatches: batches.GeminiBatchList,
  UploadRequest: batches.UploadRequest,
  UploadPartForm: batches.UploadPartForm,
  UploadCompletion: batches.UploadCompletion,
  Upload: batches.UploadObject,
  UploadPart: batches.UploadPart,
  ...realtimeSchemas,
  MessagesRequest,
  Message: generation.MessageObject,
  MessageTokensRequest: CountTokensRequest,
  MessageTokens: generation.MessageTokens,
  GenerateContentRequest,
  GenerateContentResponse: generation.GenerateContentResponse,
  ContentTokensRequest: generation.ContentTokensRequest,
  ContentTokens: generation.ContentTokens,
  InteractionRequest,
  Interaction: generation.InteractionObject,
  EmbeddingsRequest: embeddings.EmbeddingsRequest,
  EngineEmbeddingsRequest: embeddings.EngineEmbeddingsRequest,
  EmbeddingList: embeddings.EmbeddingList,
  EmbedContentRequest: GeminiEmbedRequest,
  EmbedContentResponse: embeddings.EmbedContentResponse,
  BatchEmbedRequest: GeminiBatchEmbedRequest,
  BatchEmbedResponse: embeddings.BatchEmbedResponse,
  ...videos,
  ...images,
  TranscriptionForm: audio.TranscriptionForm,
  TranslationForm: audio.TranslationForm,
  Transcript: audio.Transcript,
  SpeechRequest: audio.SpeechRequest,
  RerankRequest: rerank.RerankRequest,
  OpenaiFile: files.OpenaiFile,
  OpenaiFiles: files.OpenaiFiles,
  DeletedFile: files.DeletedFile,
  AccountObject: files.AccountObject,
  AccountObjectForm: files.AccountObjectForm,
  MessagesFile: files.MessagesFile,
  MessagesFiles: files.MessagesFiles,
  DeletedMessagesFile: files.DeletedMessagesFile,
  GeminiFile: files.GeminiFile,
  GeminiFiles: files.GeminiFiles,
  GeminiUpload: files.GeminiUpload,
  GeminiUploaded: files.GeminiUploaded,
  EmptyAnswer: files.EmptyAnswer,
  FileForm: files.FileForm,
  RerankAnswer: rerank.RerankAnswer,
  CohereRerankAnswer: rerank.CohereRerankAnswer,
  ModerationRequest: moderations.ModerationRequest,
  ModerationAnswer: moderations.ModerationAnswer,
  SearchRequest: search.SearchRequest,
  SearchAnswer: search.SearchAnswer,
  KeyFacts: people.KeyFactsAnswer,
  KeyUsage: people.KeyUsageAnswer,
  OpenaiModel: models.OpenaiModel,
  OpenaiModels: models.OpenaiModels,
  MessagesModel: models.MessagesModel,
  MessagesModels: models.MessagesModels,
  GeminiModel: models.GeminiModel,
  GeminiModels: models.GeminiModels,
  OpenaiError: errors.OpenaiError,
  MessagesError: errors.MessagesError,
  GeminiError: errors.GeminiError,
  OllamaError: errors.OllamaError,
  ConverseError: errors.ConverseError,
  OllamaChatRequest,
  OllamaGenerateRequest,
  OllamaEmbedRequest,
  OllamaEmbeddingsRequest,
  OllamaShowRequest,
  ConverseRequest,
  Status: rows.StatusAnswer,
  Setup,
  SetupAnswer: rows.SetupAnswer,
  SignIn,
  ProviderSignIn,
  ProviderAnswer: people.ProviderAnswer,
  SignInStep: signIn.StepAnswer,
  FactorGiven: factors.FactorGiven,
  PasskeySignIn: factors.PasskeySignIn,
  PasskeyOptions: factors.PasskeyOptions,
  PasskeyOptionsAnswer: signIn.PasskeyOptionsAnswer,
  ProofMethods: signIn.ProofAnswer,
  ProofGiven: factors.ProofGiven,
  Factors: signIn.FactorsAnswer,
  NewApp: factors.NewApp,
  App: signIn.AppAnswer,
  AppCode: factors.AppCode,
  NewPasskey: factors.NewPasskey,
  RecoveryCodes: signIn.CodesAnswer,
  NewInvitation,
  NewInvitationAnswer: signIn.NewInvitationAnswer,
  Invitations: rows.PageOf(signIn.InvitationAnswer),
  InvitationToken,
  InvitationFacts: signIn.InvitationFactsAnswer,
  Join,
  PasswordChange,
  NewManagementKey,
  ManagementKey: people.ManagementKeyAnswer,
  ManagementKeys: rows.PageOf(people.ManagementKeyAnswer),
  Quotas: rows.PageOf(people.QuotaAnswer),
  Sessions: rows.PageOf(people.SessionAnswer),
  EndedSessions: people.EndedSessions,
  KeptConversation,
  KeptConversations: rows.PageOf(people.KeptAnswer),
  NewShare,
  Share: people.ShareAnswer,
  Shares: rows.PageOf(people.ShareAnswer),
  SharedConversation: people.SharedConversationAnswer,
  Environment: rows.PageOf(settings.EnvironmentAnswer),
  Identities: rows.PageOf(people.IdentityAnswer),
  User: rows.UserAnswer,
  NewUser,
  UserPatch,
  Credit,
  Account: rows.AccountAnswer,
  Accounts: rows.PageOf(rows.AccountAnswer),
  UserTotals: rows.UserTotalsAnswer,
  AuditRows: rows.PageOf(people.AuditAnswer),
  NewTeam,
  TeamPatch,
  Team: people.TeamAnswer,
  Teams: rows.PageOf(people.TeamAnswer),
  NewMember,
  MemberPatch,
  Member: people.MemberAnswer,
  Members: rows.PageOf(people.MemberAnswer),
  NewPlan,
  PlanPatch,
  PlanGift,
  Plan: selling.PlanAnswer,
  Plans: rows.PageOf(selling.PlanAnswer),
  PlanState: selling.PlanStateAnswer,
  NewCodes,
  CodeBatch: selling.CodesAnswer,
  Codes: rows.PageOf(selling.CodeAnswer),
  Redemption,
  Redeemed: selling.RedeemedAnswer,
  NewCredit,
  NewRefund,
  CreditRow: selling.CreditAnswer,
  Credits: rows.PageOf(selling.CreditAnswer),
  Entries: rows.PageOf(people.EntryAnswer),
  NewGroup,
  GroupPatch,
  Group: rows.GroupAnswer,
  Groups: rows.PageOf(rows.GroupAnswer),
  Models: rows.PageOf(rows.ModelAnswer),
  Capabilities: rows.PageOf(rows.CapabilityAnswer),
  NewKey,
  KeyPatch,
  Rotation,
  Key: rows.KeyAnswer,
  Keys: rows.PageOf(rows.KeyAnswer),
  ...priceSchemas,
  NewChannel,
  ChannelPatch,
  ChannelKeyPatch,
  ChannelDraft,
  Channel: rows.ChannelAnswer,
  Channels: rows.PageOf(rows.ChannelAnswer),
  ChannelTotals: rows.ChannelTotalsAnswer,
  ChannelHealth: rows.PageOf(rows.HealthAnswer),
  HealthReset,
  ChannelOutcomes: rows.ChannelOutcomesAnswer,
  ChannelAttempts: rows.ChannelAttemptsAnswer,
  Ailments: rows.PageOf(rows.AilmentAnswer),
  ProbeQuestion,
  ProbeAnswer: inspection.ProbeAnswer,
  UpstreamModels: inspection.UpstreamModelsAnswer,
  NewAlertHook,
  AlertHookPatch,
  AlertHook: settings.AlertHookAnswer,
  AlertHooks: rows.PageOf(settings.AlertHookAnswer),
  ...{ BatchRow, BatchRows: rows.PageOf(BatchRow) },
  ...{ WorkRow: batches.WorkRow, WorkRows: rows.PageOf(batches.WorkRow) },
  Alerts: rows.PageOf(settings.AlertAnswer),
  AlertTest: settings.AlertTest,
  Settings: settings.SettingsAnswer,
  SettingsPatch,
  Books: BooksAnswer,
  KeptBody: bodies.KeptBodyAnswer,
  DeletedBodies: bodies.DeletedBodies,
  ReplayQuestion,
  NewReplay,
  ReplayEstimate: replays.EstimateAnswer,
  Replay: replays.ReplayAnswer,
  Replays: rows.PageOf(replays.ReplayAnswer),
  ReplayDetail: replays.ReplayDetailAnswer,
  ReplayComparison: replays.ComparisonAnswer,
  LogRow: usage.LogAnswer,
  LogRows: rows.PageOf(usage.LogAnswer),
  UsageRows: rows.PageOf(usage.UsageAnswer),
  FoundRows: rows.PageOf(overview.FoundAnswer),
  Overview: overview.OverviewAnswer,
  InvoiceQuestion,
  InvoiceReport: rows.InvoiceAnswer,
  RouteQuestion,
  RouteAnswer: inspection.RouteAnswer,
  Preview: rows.PreviewAnswer,
} as const satisfies Record<string, TSchema>

/** Name of a schema. */
export type SchemaName = keyof typeof schemas

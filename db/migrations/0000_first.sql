CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"name" text NOT NULL,
	"digest" text NOT NULL,
	"hint" text NOT NULL,
	"group" text,
	"models" text[],
	"expires_at" timestamp with time zone,
	"enabled" boolean DEFAULT true NOT NULL,
	"strict" boolean DEFAULT false NOT NULL,
	"log_bodies" boolean DEFAULT false NOT NULL,
	"budget" jsonb,
	"limits" jsonb,
	"managed" text DEFAULT 'console' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "api_keys_digest_unique" UNIQUE("digest")
);
--> statement-breakpoint
CREATE TABLE "channel_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"channel_id" text NOT NULL,
	"name" text NOT NULL,
	"sealed" text NOT NULL,
	"hint" text NOT NULL,
	"weight" integer DEFAULT 1 NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "channels" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"vendor" text NOT NULL,
	"base_url" text,
	"speaks" text[],
	"operations" text[],
	"groups" text[] NOT NULL,
	"models" jsonb NOT NULL,
	"priority" integer DEFAULT 0 NOT NULL,
	"weight" integer DEFAULT 1 NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"strict" boolean DEFAULT false NOT NULL,
	"system_prompt" text,
	"headers" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"params" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"timeouts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"options" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"costs" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"tags" text[] NOT NULL,
	"managed" text DEFAULT 'console' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "channels_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "entries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "entries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"wallet_id" text NOT NULL,
	"amount" bigint NOT NULL,
	"kind" text NOT NULL,
	"ref" text NOT NULL,
	"actor" text NOT NULL,
	"reason" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "entries_ref_unique" UNIQUE("ref")
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"name" text PRIMARY KEY NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"ratio" bigint NOT NULL,
	"budget" jsonb,
	"limits" jsonb,
	"enabled" boolean DEFAULT true NOT NULL,
	"managed" text DEFAULT 'console' NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "holds" (
	"id" text PRIMARY KEY NOT NULL,
	"wallet_id" text NOT NULL,
	"amount" bigint NOT NULL,
	"instance" text NOT NULL,
	"opened_at" timestamp with time zone NOT NULL,
	CONSTRAINT "holds_not_negative" CHECK ("holds"."amount" >= 0)
);
--> statement-breakpoint
CREATE TABLE "logs" (
	"request_id" text PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"user_id" text NOT NULL,
	"key_id" text,
	"key" text,
	"group" text NOT NULL,
	"model" text NOT NULL,
	"upstream_model" text,
	"channel" text,
	"operation" text NOT NULL,
	"dialect" text NOT NULL,
	"stream" boolean NOT NULL,
	"status" integer NOT NULL,
	"end" text NOT NULL,
	"error" jsonb,
	"usage" jsonb,
	"provenance" text,
	"cost" bigint NOT NULL,
	"charged" bigint NOT NULL,
	"price" jsonb,
	"losses" jsonb NOT NULL,
	"first_token_ms" integer,
	"total_ms" integer NOT NULL,
	"attempts" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "prices" (
	"model" text PRIMARY KEY NOT NULL,
	"price" jsonb NOT NULL,
	"managed" text DEFAULT 'console' NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"digest" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "settings" (
	"name" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"role" text DEFAULT 'user' NOT NULL,
	"password_hash" text,
	"group" text DEFAULT 'default' NOT NULL,
	"groups" text[] NOT NULL,
	"budget" jsonb,
	"limits" jsonb,
	"enabled" boolean DEFAULT true NOT NULL,
	"managed" text DEFAULT 'console' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "users_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "wallets" (
	"id" text PRIMARY KEY NOT NULL,
	"balance" bigint DEFAULT 0 NOT NULL,
	"held" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "wallets_not_overdrawn" CHECK ("wallets"."held" >= 0 and "wallets"."balance" - "wallets"."held" >= 0)
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_keys" ADD CONSTRAINT "channel_keys_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "entries" ADD CONSTRAINT "entries_wallet_id_wallets_id_fk" FOREIGN KEY ("wallet_id") REFERENCES "public"."wallets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holds" ADD CONSTRAINT "holds_wallet_id_wallets_id_fk" FOREIGN KEY ("wallet_id") REFERENCES "public"."wallets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_user" ON "api_keys" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "channel_keys_channel" ON "channel_keys" USING btree ("channel_id");--> statement-breakpoint
CREATE INDEX "entries_wallet" ON "entries" USING btree ("wallet_id","id");--> statement-breakpoint
CREATE INDEX "holds_wallet" ON "holds" USING btree ("wallet_id");--> statement-breakpoint
CREATE INDEX "holds_instance" ON "holds" USING btree ("instance");--> statement-breakpoint
CREATE INDEX "logs_at" ON "logs" USING btree ("at" DESC NULLS FIRST,"request_id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "logs_user_at" ON "logs" USING btree ("user_id","at" DESC NULLS FIRST,"request_id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");
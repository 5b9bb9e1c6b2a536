-- Selling on. New tables, and columns that may be null: no row is rewritten.
CREATE TABLE "codes" (
	"id" text PRIMARY KEY NOT NULL,
	"batch" text NOT NULL,
	"digest" text NOT NULL,
	"hint" text NOT NULL,
	"note" text NOT NULL,
	"value" bigint NOT NULL,
	"plan_id" text,
	"days" integer,
	"group" text,
	"for_user" text,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"redeemed_at" timestamp with time zone,
	"redeemed_by" text,
	"wallet_id" text,
	CONSTRAINT "codes_digest_unique" UNIQUE("digest")
);
--> statement-breakpoint
CREATE TABLE "credits" (
	"reference" text PRIMARY KEY NOT NULL,
	"wallet_id" text NOT NULL,
	"amount" bigint NOT NULL,
	"asked" text NOT NULL,
	"reason" text NOT NULL,
	"refund_of" text,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "plans" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"group" text,
	"windows" jsonb NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "plans_name_unique" UNIQUE("name")
);
--> statement-breakpoint
ALTER TABLE "teams" ADD COLUMN "plan" jsonb;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "plan" jsonb;--> statement-breakpoint
ALTER TABLE "codes" ADD CONSTRAINT "codes_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "codes_batch" ON "codes" USING btree ("batch");--> statement-breakpoint
CREATE INDEX "codes_created" ON "codes" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "credits_wallet" ON "credits" USING btree ("wallet_id");--> statement-breakpoint
CREATE INDEX "credits_at" ON "credits" USING btree ("at","reference");--> statement-breakpoint
CREATE INDEX "credits_refunds" ON "credits" USING btree ("refund_of");
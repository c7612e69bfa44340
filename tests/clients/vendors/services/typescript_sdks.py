"""The SDKs for TypeScript, and their call for each operation of the catalogue."""

from .graphql_types import GraphQL
from .typescript import TypeScript

TYPESCRIPT_SDKS = {
    "asana": TypeScript(
        "@types/asana",
        'import type { resources } from "asana";',
        {
            "create-task": "check<{ data: resources.Tasks.CreateParams }>($body)",
            "update-task": "check<{ data?: resources.Tasks.UpdateParams }>($body)",
            "comment-on-task": "check<{ data: Pick<resources.Stories.Type, 'text'> }>($body)",
        },
        sends=False,
    ),
    "discord": TypeScript(
        "@discordjs/core @discordjs/rest",
        """
        import { API } from "@discordjs/core";
        import { REST } from "@discordjs/rest";
        const discord = new API(new REST({ version: "10", makeRequest: fetch as never }).setToken("token"));
        """,
        {
            "send-message": "discord.channels.createMessage($channelId, $body)",
            "list-messages": "discord.channels.getMessages($channelId, $query)",
            "edit-message": "discord.channels.editMessage($channelId, $messageId, $body)",
            "delete-message": "discord.channels.deleteMessage($channelId, $messageId)",
            "add-reaction": "discord.channels.addMessageReaction($channelId, $messageId, $emoji)",
            "list-channels": "discord.guilds.getChannels($guildId)",
            "create-channel": "discord.guilds.createChannel($guildId, $body)",
            "list-members": "discord.guilds.getMembers($guildId, $query)",
            "add-role": "discord.guilds.addRoleToMember($guildId, $userId, $roleId)",
        },
    ),
    "gitlab": TypeScript(
        "@gitbeaker/rest",
        """
        import { Gitlab } from "@gitbeaker/rest";
        import type { AllIssuesOptions, AllMergeRequestsOptions, PaginationRequestOptions } from "@gitbeaker/rest";
        type Issues = AllIssuesOptions & PaginationRequestOptions<"offset">;
        type MergeRequests = AllMergeRequestsOptions & PaginationRequestOptions<"offset">;
        const gitlab = new Gitlab({ token: "token" });
        """,
        {
            "create-issue": "gitlab.Issues.create($project, $body.title, {...$body-title})",
            "get-issue": "gitlab.Issues.show($number:number, {projectId: $project})",
            "update-issue": "gitlab.Issues.edit($project, $number:number, $body)",
            "list-issues": "gitlab.Issues.all({projectId: $project, ...($query satisfies Issues)})",
            "comment-on-issue": "gitlab.IssueNotes.create($project, $number:number, $body.body)",
            "list-merge-requests": "gitlab.MergeRequests.all({projectId: $project, ...($query satisfies MergeRequests)})",
            "get-file": "gitlab.RepositoryFiles.showRaw($project, $path, untyped($query.ref))",
            "get-file-details": "gitlab.RepositoryFiles.show($project, $path, untyped($query.ref))",
            **{
                f"{verb}-file": f"gitlab.RepositoryFiles.{method}($project, $path, $body.branch, $body.content, "
                "$body.commit_message, {...$body-branch-content-commit_message})"
                for verb, method in {"save": "create", "update": "edit"}.items()
            },
        },
        camel=True,
    ),
    "hubspot": TypeScript(
        "@hubspot/api-client",
        """
        import { Client } from "@hubspot/api-client";
        import { FilterOperatorEnum } from "@hubspot/api-client/lib/codegen/crm/contacts/models/Filter.js";
        import { AssociationSpecAssociationCategoryEnum as Category }
            from "@hubspot/api-client/lib/codegen/crm/deals/models/AssociationSpec.js";
        const { crm } = new Client({ accessToken: "token" });
        const operator = (value: `${FilterOperatorEnum}`) => value as FilterOperatorEnum;
        const category = (value: `${Category}`) => value as Category;
        """,
        {
            f"{verb}-{one}": call.format(many=many)
            for one, many in {"contact": "contacts", "company": "companies", "deal": "deals", "ticket": "tickets"}.items()
            for verb, call in {
                "create": "crm.{many}.basicApi.create($body)",
                "get": "crm.{many}.basicApi.getById("
                "$id, $query.properties, undefined, $query.associations, undefined, $query.idProperty)",
                "update": "crm.{many}.basicApi.update($id, $body)",
                "delete": "crm.{many}.basicApi.archive($id)",
            }.items()
        }
        | {
            f"{verb}-{many}": call.format(many=many)
            for many in ("contacts", "companies", "deals", "tickets")
            for verb, call in {
                "search": "crm.{many}.searchApi.doSearch($body)",
                "list": "crm.{many}.basicApi.getPage($query.limit, $query.after, $query.properties)",
            }.items()
        }
        | {"create-or-update-contact": "crm.contacts.batchApi.upsert($body)"},
        # HubSpot documents objects for `sorts`, and describes texts.
        convert={
            "after": "String",
            "associationCategory": "category",
            "associations": "[]",
            "operator": "operator",
            "properties": "[]",
            "sorts": "untyped",
        },
    ),
    "intercom": TypeScript(
        "intercom-client",
        """
        import { IntercomClient } from "intercom-client";
        const intercom = new IntercomClient({ token: "token", version: "2.11" });
        """,
        {
            "create-contact": "intercom.contacts.create($body)",
            "get-contact": "intercom.contacts.find({contact_id: $contactId})",
            "update-contact": "intercom.contacts.update({contact_id: $contactId, ...$body})",
            "search-contacts": "intercom.contacts.search($body)",
            "reply-to-conversation": "intercom.conversations.reply({conversation_id: $conversationId, body: $body})",
        },
    ),
    "jira": TypeScript(
        "jira.js",
        """
        import { createCloudClient } from "jira.js";
        type Transition = NonNullable<Parameters<typeof jira.issues.doTransition>[0]["transition"]>;
        const auth = { type: "basic", email: "a@example.com", apiToken: "token" } as const;
        const jira = createCloudClient({ host: "https://example.atlassian.net", auth });
        """,
        {
            "create-issue": "jira.issues.createIssue($body)",
            "create-issue-from-fields": "jira.issues.createIssue($body)",
            "get-issue": "jira.issues.getIssue({issueIdOrKey: $issue, ...$query})",
            "update-issue": "jira.issues.editIssue({issueIdOrKey: $issue, ...$body})",
            "search-issues": "jira.issueSearch.searchAndReconsileIssuesUsingJql($query)",
            "add-comment": "jira.issueComments.addComment({issueIdOrKey: $issue, ...$body})",
            "list-comments": "jira.issueComments.getComments({issueIdOrKey: $issue, ...$query})",
            "list-transitions": "jira.issues.getTransitions({issueIdOrKey: $issue})",
            "transition-issue": "jira.issues.doTransition({issueIdOrKey: $issue, transition: $body.transition satisfies Known<Transition>})",
            "delete-issue": "jira.issues.deleteIssue({issueIdOrKey: $issue})",
        },
        convert={"fields": "[]"},
    ),
    "linear": GraphQL(
        "@linear/sdk",
        """
        import { LinearClient, type LinearDocument as schema } from "@linear/sdk";
        const { client } = new LinearClient({ apiKey: "key" });
        const send = (query: string, variables: {}) => client.rawRequest(query, variables);
        """,
    ),
    "mailchimp": TypeScript(
        "@mailchimp/mailchimp_marketing @types/mailchimp__mailchimp_marketing",
        """
        import mailchimp from "@mailchimp/mailchimp_marketing";
        mailchimp.setConfig({ apiKey: "key-us6", server: "us6" });
        """,
        {
            "add-member": "mailchimp.lists.addListMember($listId, $body)",
            "save-member": "mailchimp.lists.setListMember($listId, $member, $body)",
            "get-member": "mailchimp.lists.getListMember($listId, $member)",
            "list-members": "mailchimp.lists.getListMembersInfo($listId, untyped($query))",
            "tag-member": "mailchimp.lists.updateListMemberTags($listId, $member, $body)",
            "list-audiences": "mailchimp.lists.getAllLists($query)",
        },
    ),
    "microsoft-teams": TypeScript(
        "@microsoft/microsoft-graph-types",
        'import type { ChatMessage } from "@microsoft/microsoft-graph-types";',
        {"send-channel-message": "check<ChatMessage>($body)", "send-chat-message": "check<ChatMessage>($body)"},
        sends=False,
    ),
    "monday": GraphQL(
        "@mondaydotcomorg/api",
        """
        import { ApiClient } from "@mondaydotcomorg/api";
        import type * as schema from "@mondaydotcomorg/api";
        const client = new ApiClient({ token: "token" });
        const send = (query: string, variables: {}) => client.rawRequest(query, variables);
        """,
    ),
    "onedrive": TypeScript(
        "@microsoft/microsoft-graph-types",
        'import type { DriveItem } from "@microsoft/microsoft-graph-types";',
        {"create-folder": "check<DriveItem>($body)"},
        sends=False,
    ),
    "openweathermap": TypeScript(
        "openweathermap-ts",
        """
        import OpenWeatherMap from "openweathermap-ts";
        const Weather = OpenWeatherMap.default ?? OpenWeatherMap as never;
        type Settings = ConstructorParameters<typeof Weather>[0];
        const weather = (units?: Settings["units"], language?: Settings["language"]) =>
            new Weather({ apiKey: "key", units, language });
        const place = (text: string) => ({ cityName: text.split(",")[0]!, countryCode: text.split(",")[1] as never });
        type Places = { q?: string; lat?: string; lon?: string; id?: number; zip?: string; lang?: Settings["language"] };
        /** Our example has all kinds of places. The SDK takes one kind in a call, so the queries of its calls are joined. */
        const at = async (queryType: "weather" | "forecast", fields: Places & Pick<Settings, "units">) => {
            const { q, lat, lon, id, zip, units, lang } = fields;
            const client = weather(units, lang);
            const url = client["buildURL"].bind(client);
            const queries: string[] = [];
            client["buildURL"] = (_: string, query: string) => { queries.push(query); throw new Error("it is joined"); };
            const [zipcode, country] = zip?.split(",") ?? [];
            await Promise.allSettled([
                q && client.getByCityName({ location: place(q), queryType }),
                lat && client.getByGeoCoordinates({ latitude: Number(lat), longitude: Number(lon), queryType }),
                id && client.getByCityId({ cityId: id, queryType }),
                zip && client.getByZipcode(Number(zipcode), queryType, country as never),
            ]);
            return fetch(url(queryType, queries.join("&")));
        };
        """,
        {
            "get-weather": "weather($query.units, $query.lang).getCurrentWeatherByCityName(place($query.q))",
            "get-forecast": "weather($query.units, $query.lang).getThreeHourForecastByCityName(place($query.q))",
            "get-weather-at": "at(\"weather\", $query)",
            "get-forecast-at": "at(\"forecast\", $query)",
        },
        defaults=("appid", "units", "lang"),
    ),
    "outlook": TypeScript(
        "@microsoft/microsoft-graph-types",
        'import type { Event, Message } from "@microsoft/microsoft-graph-types";',
        {
            "send-message": "check<{ message: Message; saveToSentItems?: boolean }>($body)",
            "send-message-resource": "check<{ message: Message; saveToSentItems?: boolean }>($body)",
            "create-draft": "check<Message>($body)",
            "create-draft-resource": "check<Message>($body)",
            "mark-message": "check<Message>($body)",
            "update-message": "check<Message>($body)",
            "create-event": "check<Event>($body)",
        },
        sends=False,
    ),
    "pipedrive": TypeScript(
        "pipedrive",
        """
        import * as v1 from "pipedrive/v1";
        import { ActivitiesApi, Configuration, DealsApi, OrganizationsApi, PersonsApi } from "pipedrive/v2";
        const configuration = new Configuration({ apiKey: "key" });
        const activities = new ActivitiesApi(configuration);
        const leads = new v1.LeadsApi(new v1.Configuration({ apiKey: "key" }));
        const notes = new v1.NotesApi(new v1.Configuration({ apiKey: "key" }));
        type Note = Known<NonNullable<v1.NotesApiAddNoteRequest["AddNoteRequest"]>>;
        const deals = new DealsApi(configuration);
        const persons = new PersonsApi(configuration);
        const organizations = new OrganizationsApi(configuration);
        """,
        {
            f"{verb}-{one}": call.format(many=f"{one}s", Many=f"{one.title()}s", One=one.title())
            for one in ("deal", "person", "organization")
            for verb, call in {
                "create": "{many}.add{One}({{Add{One}Request: $body}})",
                "get": "{many}.get{One}({{id: $id:number}})",
                "update": "{many}.update{One}({{id: $id:number, Update{One}Request: $body}})",
            }.items()
        }
        | {
            f"{verb}-{one}s": call.format(many=f"{one}s", Many=f"{one.title()}s", Search=search)
            for one, search in {"deal": "Deals", "person": "Persons", "organization": "Organization"}.items()
            for verb, call in {"list": "{many}.get{Many}($query)", "search": "{many}.search{Search}($query)"}.items()
        }
        | {
            "create-note": "notes.addNote({AddNoteRequest: $body satisfies Note})",
            "create-lead": "leads.addLead({AddLeadRequest: $body})",
            "create-activity": "activities.addActivity({AddActivityRequest: $body})",
        },
    ),
    "salesforce": TypeScript(
        "@jsforce/jsforce-node",
        """
        import { Connection } from "@jsforce/jsforce-node";
        const instanceUrl = "https://example.my.salesforce.com";
        const salesforce = new Connection({ instanceUrl, accessToken: "token", version: "62.0" });
        """,
        {
            "create-record": "salesforce.sobject($object).create($body)",
            "get-record": "salesforce.sobject($object).retrieve($id, {fields: $query.fields})",
            "update-record": "salesforce.sobject($object).update({Id: $id, ...$body})",
            "save-record": "salesforce.sobject($object).upsert({[$field]: encodeURIComponent($value), ...$body}, $field)",
            "delete-record": "salesforce.sobject($object).destroy($id)",
            "query": "salesforce.query($query.q)",
        },
        convert={"fields": "[]"},
    ),
    "sendgrid": TypeScript(
        "@sendgrid/mail",
        """
        import sendgrid from "@sendgrid/mail";
        sendgrid.setApiKey("SG.key");
        """,
        {
            "send-message": "sendgrid.send($body)",
            "send-template": "sendgrid.send($body)",
        },
        camel=True,
    ),
    "shopify": TypeScript(
        "@shopify/shopify-api",
        """
        import "@shopify/shopify-api/adapters/node";
        import { ApiVersion, shopifyApi } from "@shopify/shopify-api";
        import { restResources } from "@shopify/shopify-api/rest/admin/2026-01";
        const keys = { apiKey: "key", apiSecretKey: "secret", hostName: "example.com", isEmbeddedApp: false };
        const shopify = shopifyApi({ ...keys, apiVersion: ApiVersion.January26, restResources });
        const session = shopify.session.customAppSession("example.myshopify.com");
        session.accessToken = "token";
        const { Order, Product, Customer } = shopify.rest;
        type Saved = { save(options?: object): Promise<void> };
        const saved = <Type extends Saved>(resource: Type, fields: Partial<Known<NoInfer<Type>>>) =>
            Object.assign(resource, fields).save();
        """,
        {
            "list-orders": "Order.all({session, ...$query} satisfies Known<Parameters<typeof Order.all>[0]>)",
            "get-order": "Order.find({session, id: $id})",
            "update-order": "saved(new Order({session}), {id: $id, ...$body.order})",
            "list-products": "Product.all({session, ...$query} satisfies Known<Parameters<typeof Product.all>[0]>)",
            "get-product": "Product.find({session, id: $id})",
            "create-product": "saved(new Product({session}), $body.product)",
            "update-product": "saved(new Product({session}), {id: $id, ...$body.product})",
            "list-customers": "Customer.all({session, ...$query} satisfies Known<Parameters<typeof Customer.all>[0]>)",
            "get-customer": "Customer.find({session, id: $id})",
            "create-customer": "saved(new Customer({session}), $body.customer)",
            "update-customer": "saved(new Customer({session}), {id: $id, ...$body.customer})",
            "search-customers": "Customer.search({session, ...$query} satisfies Known<Parameters<typeof Customer.search>[0]>)",
            "graphql": "new shopify.clients.Graphql({session}).request($body.query, {variables: $body.variables})",
        },
        defaults=("id",),
    ),
    "stripe": TypeScript(
        "stripe",
        """
        import Stripe from "stripe";
        const stripe = new Stripe("key", { httpClient: Stripe.createFetchHttpClient() });
        """,
        {
            "create-customer": "stripe.customers.create($body)",
            "get-customer": "stripe.customers.retrieve($customer)",
            "update-customer": "stripe.customers.update($customer, $body)",
            "list-customers": "stripe.customers.list($query)",
            "create-payment-intent": "stripe.paymentIntents.create($body)",
            "get-payment-intent": "stripe.paymentIntents.retrieve($intent)",
            "list-charges": "stripe.charges.list($query)",
            "get-charge": "stripe.charges.retrieve($charge)",
            "create-refund": "stripe.refunds.create($body)",
            "create-checkout": "stripe.checkout.sessions.create($body)",
            "create-invoice-item": "stripe.invoiceItems.create($body)",
            "create-invoice": "stripe.invoices.create($body)",
            "finalize-invoice": "stripe.invoices.finalizeInvoice($invoice)",
            "list-subscriptions": "stripe.subscriptions.list($query)",
            "cancel-subscription": "stripe.subscriptions.cancel($subscription)",
        },
    ),
    "supabase": TypeScript(
        "@supabase/postgrest-js",
        """
        import { PostgrestClient } from "@supabase/postgrest-js";
        const rows = new PostgrestClient<any>("https://abcdefghijklmnopqrst.supabase.co/rest/v1");
        /** The SDK has a method for `or`, and none for `and`, which has the same syntax. */
        const filters = (and?: string) => and?.slice(1, -1) ?? "";
        type Selection = { select?: string; and?: string; order?: string; offset?: number; limit?: number };
        const selected = (table: string, { select, and, order, offset, limit }: Selection) => {
            let query = rows.from(table).select(select);
            if (and) query = query.or(filters(and));
            if (order) query = query.order(order.split(".")[0]!, { ascending: order.endsWith(".asc") });
            if (offset !== undefined) return query.range(offset, offset + limit! - 1);
            return limit ? query.limit(limit) : query;
        };
        """,
        {
            "select-rows": "selected($table, $query)",
            "insert-rows": "rows.from($table).insert($body).select()",
            "upsert-rows": "rows.from($table).upsert($body, {onConflict: $query.on_conflict}).select()",
            "update-rows": "rows.from($table).update($body).or(filters($query.and)).select()",
            "delete-rows": "rows.from($table).delete().or(filters($query.and)).select()",
            "call-function": "rows.rpc($function, $body)",
        },
        defaults=("select", "columns"),
        adapt=lambda sent: sent.changed(url=sent.url.replace("?or=", "?and=").replace("&or=", "&and=")),
    ),
    "todoist": TypeScript(
        "@doist/todoist-sdk",
        """
        import { TodoistApi } from "@doist/todoist-sdk";
        const todoist = new TodoistApi("token");
        """,
        {
            "create-task": "todoist.addTask($body)",
            "get-task": "todoist.getTask($taskId)",
            "update-task": "todoist.updateTask($taskId, $body)",
            "close-task": "todoist.closeTask($taskId)",
            "delete-task": "todoist.deleteTask($taskId)",
            "list-tasks": "todoist.getTasks($query)",
            "list-projects": "todoist.getProjects($query)",
        },
        camel=True,
    ),
    "trello": TypeScript(
        "trello.js",
        """
        import { createTrelloClient } from "trello.js";
        const trello = createTrelloClient({ apiKey: "key", apiToken: "token" });
        """,
        {
            "create-card": "trello.cards.createCard($query)",
            "get-card": "trello.cards.getCard({id: $cardId})",
            "update-card": "trello.cards.updateCard({id: $cardId, ...$query})",
            "delete-card": "trello.cards.deleteCard({id: $cardId})",
            "comment-on-card": "trello.cards.createCardComment({id: $cardId, ...$query})",
            "list-cards": "trello.lists.getListCards({id: $listId})",
            "list-lists": "trello.boards.getBoardLists({id: $boardId})",
            "list-boards": "trello.members.getMemberBoards({id: \"me\"})",
            "get-board": "trello.boards.getBoard({id: $boardId, ...$query})",
        },
        defaults=("key", "token"),
        convert={"create-card/idMembers": "[]", "create-card/idLabels": "[]"},
    ),
    "twilio": TypeScript(
        "twilio",
        """
        import twilio from "twilio";
        const { messages, calls } = twilio("ACXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX", "token");
        """,
        {
            "send-message": "messages.create($body)",
            "make-call": "calls.create($body)",
            "list-messages": "messages.page($query)",
        },
        convert={"MediaUrl": "[]"},
        camel=True,
    ),
    "woocommerce": TypeScript(
        "woocommerce-rest-ts-api",
        """
        import WooCommerce, { type Customers, type Orders, type Products } from "woocommerce-rest-ts-api";
        // Node and the compiler see different exports.
        const Shop = WooCommerce.default ?? WooCommerce as never;
        const keys = { consumerKey: "key", consumerSecret: "secret" };
        const shop = new Shop({ ...keys, url: "https://shop.example.com", version: "wc/v3" });
        """,
        {
            "list-orders": "shop.getOrders($query)",
            "get-order": "shop.getOrder($id:number)",
            "create-order": "shop.createOrder($body)",
            "update-order": "shop.put(`orders/${$id}`, $body satisfies Partial<Orders>)",
            "list-products": "shop.getProducts($query)",
            "get-product": "shop.getProduct($id:number)",
            "create-product": "shop.createProduct($body)",
            "update-product": "shop.updateProduct($id:number, $body)",
            "list-customers": "shop.getCustomers(untyped($query))",
            "get-customer": "shop.getCustomer($id:number)",
            "create-customer": "shop.post(\"customers\", $body satisfies Partial<Customers>)",
            "update-customer": "shop.put(`customers/${$id}`, $body satisfies Partial<Customers>)",
        },
    ),
    "wordpress": TypeScript(
        "wpapi @types/wpapi wp-types",
        """
        import WPAPI from "wpapi";
        import type { WP_REST_API_Page, WP_REST_API_Post } from "wp-types";
        const site = new WPAPI({ endpoint: "https://shop.example.com/wp-json" });
        type Page = { search?: string; per_page?: number; page?: number };
        const listed = (request: ReturnType<typeof site.posts>, { search, per_page, page }: Page) => {
            if (search) request = request.search(search);
            if (per_page) request = request.perPage(per_page);
            return (page ? request.page(page) : request).get();
        };
        /** Writes take a text where answers have `{"rendered": …}`. */
        type Fields<Type> = { [Name in keyof Known<Type>]?: Type[Name] extends { rendered: string } ? string : Type[Name] };
        """,
        {
            "list-posts": "listed(site.posts(), $query)",
            "get-post": "site.posts().id($id:number).get()",
            "create-post": "site.posts().create($body satisfies Fields<WP_REST_API_Post>)",
            "update-post": "site.posts().id($id:number).update($body satisfies Fields<WP_REST_API_Post>)",
            "delete-post": "site.posts().id($id:number).delete()",
            "create-post-from-fields": "site.posts().create($body satisfies Fields<WP_REST_API_Post>)",
            "update-post-fields": "site.posts().id($id:number).update($body satisfies Fields<WP_REST_API_Post>)",
            "list-pages": "listed(site.pages(), $query)",
            "get-page": "site.pages().id($id:number).get()",
            "create-page": "site.pages().create($body satisfies Fields<WP_REST_API_Page>)",
            "update-page": "site.pages().id($id:number).update($body satisfies Fields<WP_REST_API_Page>)",
            "delete-page": "site.pages().id($id:number).delete()",
        },
        # Updates accept both; WordPress documents POST.
        adapt=lambda sent: sent.changed(method="POST") if sent.method == "PUT" else sent,
    ),
    "x": TypeScript(
        "@xdevplatform/xdk",
        """
        import { Client } from "@xdevplatform/xdk";
        const { posts, users } = new Client({ accessToken: "token" });
        """,
        {
            "create-post": "posts.create($body)",
            "get-post": "posts.getById($id, $query)",
            "delete-post": "posts.delete($id)",
            "search-posts": "posts.searchRecent($query.query, {...$query})",
            "get-user": "users.getByUsername($username)",
            "list-posts-of-user": "users.getPosts($userId, $query)",
            "like-post": "users.likePost($userId, $body)",
        },
        camel=True,
        convert={"post.fields": "[]"},
    ),
    "zendesk": TypeScript(
        "node-zendesk",
        """
        import node_zendesk from "node-zendesk";
        import type { User } from "node-zendesk/clients/core/users";
        const zendesk = node_zendesk.createClient({ username: "a@example.com", token: "token", subdomain: "example" });
        """,
        {
            "create-ticket": "zendesk.tickets.create($body)",
            "get-ticket": "zendesk.tickets.show($ticketId:number)",
            "update-ticket": "zendesk.tickets.update($ticketId:number, $body)",
            "comment-on-ticket": "zendesk.tickets.update($ticketId:number, $body)",
            "create-ticket-from-fields": "zendesk.tickets.create($body)",
            "update-ticket-fields": "zendesk.tickets.update($ticketId:number, $body)",
            "list-tickets": "zendesk.tickets.list()",
            "search": "zendesk.search.query($query.query)",
            "create-user": "zendesk.users.create($body satisfies { user: Partial<User> })",
            "get-user": "zendesk.users.show($userId:number)",
            # The SDK sends what is undefined, too.
            "search-users": "zendesk.users.search({...(untyped($query.query) ? {query: $query.query} : {}), "
            "...(untyped($query.external_id) ? {external_id: $query.external_id} : {})})",
        },
        defaults=("page[size]",),
        unknown=("page[size]", "page[after]", "page", "per_page"),
        # The suffix is optional.
        adapt=lambda sent: sent.changed(url=sent.url.replace(".json", "")),
    ),
}
